// SPDX-License-Identifier: MIT
#include "measure/idle_wait.h"

#include <time.h>

#include "base/kernel_file.h"
#include "base/threads.h"
#include "measure/clock.h"
#include "measure/disturbance.h"

namespace graphnet::measure {

namespace {

void sleep_ns(std::int64_t duration_ns) {
  constexpr std::int64_t kSecond = 1'000'000'000;
  const timespec duration = {duration_ns / kSecond, duration_ns % kSecond};
  ::nanosleep(&duration, nullptr);
}

}  // namespace

bool wait_until_idle(std::int64_t at_most_ns) {
  constexpr std::int64_t kPause = 50'000;
  const std::int64_t end_ns = monotonic_raw_ns() + at_most_ns;
  while (base::other_threads_run()) {
    if (monotonic_raw_ns() >= end_ns) return false;
    sleep_ns(kPause);
  }
  return true;
}

void wait_until_quiet(std::int64_t at_most_ns) {
  constexpr std::int64_t kPause = 10'000'000;
  const std::int64_t end_ns = monotonic_raw_ns() + at_most_ns;
  for (int quiet = 0; quiet < 3 && monotonic_raw_ns() < end_ns;) {
    sleep_ns(kPause);
    const bool alone = running_in(base::read_kernel_file("/proc/stat")).value_or(1) <= 1;
    quiet = alone ? quiet + 1 : 0;
  }
}

}  // namespace graphnet::measure
