// SPDX-License-Identifier: MIT
#include "score/evidence.h"

#include "record/left_out.h"

namespace graphnet::score {

using record::LeftOut;
using record::Record;

namespace {

constexpr double kLargestSpread = 0.20;

}  // namespace

bool is_spread_too_wide(const std::optional<double>& iqr, const std::optional<double>& median) {
  return iqr && median && *iqr > kLargestSpread * *median;
}

bool is_noisy(const Record& record) {
  return !record.timing.has_pairs() &&
         (is_spread_too_wide(record.eager.iqr_ns, record.eager.median_ns) ||
          is_spread_too_wide(record.plugin_side.iqr_ns, record.plugin_side.median_ns));
}

std::string doubt_about_speedup(const Record& record) {
  if (!record.flags.empty()) return record.flags.front().text();
  if (record.verdict.kind == record::ProofVerdict::kEmpty) {
    return name_of(record::ProofVerdict::kEmpty);  // no code of the plugin's was seen to run
  }
  if (is_noisy(record)) return name_of(LeftOut::kNoisy);
  const auto timing = record.timing.verdict;
  return timing == record::TimingVerdict::kUnstable ? timing.text() : "";
}

std::string reason_to_leave_out(const Record& record) {
  return record.degenerate ? name_of(LeftOut::kDegenerate) : doubt_about_speedup(record);
}

}  // namespace graphnet::score
