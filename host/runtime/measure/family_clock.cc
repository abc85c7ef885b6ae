// SPDX-License-Identifier: MIT
#include "measure/family_clock.h"

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <utility>

#include "base/processes.h"

namespace graphnet::measure {

namespace {

constexpr int kEveryCore = -1;

base::UniqueFd open_event(int core) {
  perf_event_attr attributes = {};
  attributes.size = sizeof(attributes);
  attributes.type = PERF_TYPE_SOFTWARE;
  attributes.config = PERF_COUNT_SW_TASK_CLOCK;
  attributes.inherit = 1;
  // What the usual perf_event_paranoid demands; this clock counts time in the kernel all the same.
  attributes.exclude_kernel = 1;
  attributes.exclude_hv = 1;
  return base::UniqueFd(static_cast<int>(::syscall(SYS_perf_event_open, &attributes, /*pid=*/0,
                                                   core, /*group=*/-1, PERF_FLAG_FD_CLOEXEC)));
}

std::optional<std::int64_t> value_of(const base::UniqueFd& event) {
  std::int64_t value = 0;
  if (::read(event.get(), &value, sizeof value) != sizeof value) return std::nullopt;
  return value;
}

}  // namespace

std::optional<FamilyClock> FamilyClock::open(const std::vector<int>& other_cores) {
  if (!base::is_single_threaded()) return std::nullopt;
  FamilyClock clock;
  clock.everywhere_ = open_event(kEveryCore);
  if (!clock.everywhere_.is_open() || !clock.ran_ns()) return std::nullopt;
  for (const int core : other_cores) {
    base::UniqueFd event = open_event(core);
    if (event.is_open()) clock.elsewhere_.push_back(std::move(event));
  }
  return clock;
}

std::optional<std::int64_t> FamilyClock::ran_ns() const {
  return value_of(everywhere_);
}

std::int64_t FamilyClock::ran_elsewhere_ns() const {
  std::int64_t sum_ns = 0;
  for (const base::UniqueFd& event : elsewhere_) sum_ns += value_of(event).value_or(0);
  return sum_ns;
}

void count_inherited(Instruments& instruments, const FamilyClock& clock) {
  instruments.counters = [inner = std::move(instruments.counters), &clock] {
    const auto inherited_ns = clock.ran_ns();
    DisturbanceCounters counters = inner();
    counters.inherited_ns = inherited_ns;
    return counters;
  };
}

}  // namespace graphnet::measure
