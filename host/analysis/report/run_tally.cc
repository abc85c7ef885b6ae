// SPDX-License-Identifier: MIT
#include "report/run_tally.h"

#include <algorithm>

#include "score/evidence.h"

namespace graphnet::report {

namespace {

/// The entry with this key, a new one if need be.
template <typename Entry>
Entry& entry_of(std::vector<Entry>& entries, std::string Entry::*key, const std::string& value) {
  const auto found = std::find_if(entries.begin(), entries.end(),
                                  [&](const Entry& entry) { return entry.*key == value; });
  if (found != entries.end()) return *found;
  Entry& added = entries.emplace_back();
  added.*key = value;
  return added;
}

}  // namespace

void RunTally::add(const record::Record& record) {
  const std::string uncounted = record::why_not_counted(record.outcome, record.phase);
  Outcomes& outcomes =
      entry_of(outcomes_, &Outcomes::word, uncounted.empty() ? record.outcome.text() : uncounted);
  outcomes.counting = record.counting();
  ++outcomes.count;
  Speedups& speedups = entry_of(speedups_, &Speedups::backend, record.backend_name());
  if (!record.is_ok() || !record.speedup || !(*record.speedup > 0)) return;
  const std::string reason = score::reason_to_leave_out(record);
  if (reason.empty()) {
    speedups.counted.push_back(*record.speedup);
  } else {
    ++speedups.left_out[reason];
  }
}

}  // namespace graphnet::report
