// SPDX-License-Identifier: MIT
#include "measure/family_clock.h"

#include <unistd.h>

#include <utility>

#include "measure/perf_event.h"

namespace graphnet::measure {

namespace {

constexpr int kEveryCore = -1;

std::optional<std::int64_t> value_of(const base::UniqueFd& event) {
  std::int64_t value = 0;
  if (::read(event.get(), &value, sizeof value) != sizeof value) return std::nullopt;
  return value;
}

}  // namespace

std::optional<FamilyClock> FamilyClock::open(const std::vector<int>& other_cores) {
  FamilyClock clock;
  const bool is_alone = open_events([&](pid_t thread) {
    // Time in the kernel is counted all the same.
    const auto open = [&](int core) {
      return open_inherited_event({}, PERF_COUNT_SW_TASK_CLOCK, thread, core);
    };
    clock.everywhere_ = open(kEveryCore);
    for (const int core : other_cores) {
      base::UniqueFd event = open(core);
      if (event.is_open()) clock.elsewhere_.push_back(std::move(event));
    }
  });
  if (!is_alone || !clock.everywhere_.is_open() || !clock.ran_ns()) return std::nullopt;
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
