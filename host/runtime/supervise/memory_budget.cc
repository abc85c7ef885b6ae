// SPDX-License-Identifier: MIT
#include "supervise/memory_budget.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>

namespace graphnet::supervise {

namespace {

constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();

}  // namespace

std::int64_t MemoryBudget::expected(const std::string& sample, std::int64_t planned_bytes) const {
  const auto seen = peaks_.find(sample);
  const std::int64_t most =
      std::max(planned_bytes, seen != peaks_.end() ? seen->second : std::int64_t{0});
  return most > kMost / 5 * 4 ? kMost : most + most / 4;
}

bool MemoryBudget::fits(std::int64_t need_bytes, std::int64_t free_bytes,
                        const std::vector<Holder>& holders) {
  if (holders.empty()) return true;
  std::int64_t left = free_bytes / 8 * 7;
  for (const Holder& holder : holders) {
    left -= std::min(left, std::max<std::int64_t>(0, holder.need_bytes - holder.has_bytes));
  }
  return need_bytes <= left;
}

void MemoryBudget::note(const record::Record& record) {
  std::int64_t& peak = peaks_[record.sample];
  peak = std::max(peak, record.peak_rss_bytes.value_or(0));
}

std::int64_t resident_bytes(pid_t pid) {
  std::ifstream statm("/proc/" + std::to_string(pid) + "/statm");
  std::int64_t total_pages = 0;
  std::int64_t resident_pages = 0;
  if (!(statm >> total_pages >> resident_pages)) return 0;
  return resident_pages * ::sysconf(_SC_PAGESIZE);
}

}  // namespace graphnet::supervise
