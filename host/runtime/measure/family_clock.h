// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/file.h"
#include "measure/instruments.h"

namespace graphnet::measure {

/// Processor time of this thread and of everything that it starts from now on: threads and
/// processes, and what those start, ended ones and adopted ones included. The kernel counts this
/// itself: no scan is needed, as in ProcessFamily, and no process can leave the family.
///
/// source   perf_event_open(2): PERF_COUNT_SW_TASK_CLOCK with `inherit`; about 0.5 us a reading
class FamilyClock {
 public:
  /// Counts what runs on `other_cores` by itself, too.
  ///
  /// order    before this process has other threads
  /// errors   nothing: there are other threads, or the kernel or a sandbox refuses
  static std::optional<FamilyClock> open(const std::vector<int>& other_cores);

  /// units    nanoseconds; only differences mean something
  /// errors   nothing if the kernel cannot read it
  std::optional<std::int64_t> ran_ns() const;
  /// As ran_ns(), on the other cores alone.
  std::int64_t ran_elsewhere_ns() const;

 private:
  FamilyClock() = default;
  base::UniqueFd everywhere_;
  std::vector<base::UniqueFd> elsewhere_;
};

/// Adds the clock, which is borrowed, to what the instruments count.
void count_inherited(Instruments& instruments, const FamilyClock& clock);

}  // namespace graphnet::measure
