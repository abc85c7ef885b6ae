// SPDX-License-Identifier: MIT
#include "measure/cycle_clock.h"

#include <cpuid.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "measure/clock.h"

namespace graphnet::measure {

namespace {

constexpr std::int64_t kCalibrationNs = 2'000'000;

bool has_invariant_counter() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(0x80000007U, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1U << 8U)) != 0;
}

/// Counter and system's clock at one moment.
struct Moment {
  std::uint64_t ticks = 0;
  std::int64_t ns = 0;
  std::uint64_t doubt = std::numeric_limits<std::uint64_t>::max();  ///< in ticks
};

/// The best of a few tries: another program may take the core between the two readings.
Moment read_both() {
  constexpr int kTries = 8;
  Moment best;
  for (int i = 0; i < kTries; ++i) {
    const std::uint64_t before = ordered_cycle_count();
    const std::int64_t ns = monotonic_raw_ns_by_syscall();
    const std::uint64_t took = ordered_cycle_count() - before;
    if (took < best.doubt) best = {before + took / 2, ns, took};
  }
  return best;
}

}  // namespace

namespace detail {
TickScale scale;
double reading_cost_ns = 0;
}  // namespace detail

double reading_cost_ns() {
  return detail::reading_cost_ns;
}

bool cycle_count_raises_signal() {
  int mode = PR_TSC_ENABLE;
  return ::prctl(PR_GET_TSC, &mode) == 0 && mode == PR_TSC_SIGSEGV;
}

// libc's syscall() could be replaced like any other function of libc.
std::int64_t clock_ns_by_syscall(clockid_t clock) {
  timespec now = {};
  long result = SYS_clock_gettime;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(static_cast<long>(clock)), "S"(&now)
                   : "rcx", "r11", "memory");
  if (result != 0) return 0;
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

std::int64_t monotonic_raw_ns_by_syscall() {
  return clock_ns_by_syscall(CLOCK_MONOTONIC_RAW);
}

std::int64_t system_clock_ns() {
  timespec now = {};
  ::clock_gettime(CLOCK_MONOTONIC_RAW, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

namespace {

double measure_reading_cost() {
  std::array<std::int64_t, 101> costs = {};
  for (std::int64_t& cost : costs) {
    const std::int64_t begin_ns = monotonic_raw_ns();
    cost = monotonic_raw_ns() - begin_ns;
  }
  std::nth_element(costs.begin(), costs.begin() + costs.size() / 2, costs.end());
  return static_cast<double>(costs[costs.size() / 2]);
}

bool calibrate_counter() {
  if (!has_invariant_counter()) return false;
  constexpr int kTries = 5;
  constexpr std::uint64_t kLeastSure = 2'000;
  for (int i = 0; i < kTries; ++i) {
    const Moment begin = read_both();
    // Longer where system calls are slow: the doubt is what they take.
    const timespec pause = {0, kCalibrationNs << i};
    ::nanosleep(&pause, nullptr);
    const Moment end = read_both();
    const std::uint64_t ticks = end.ticks - begin.ticks;
    const bool is_sure = ticks / kLeastSure > begin.doubt + end.doubt;
    if (!is_sure || end.ns - begin.ns < kCalibrationNs / 2) continue;
    const double ns_per_tick = static_cast<double>(end.ns - begin.ns) / static_cast<double>(ticks);
    detail::scale.base_ticks = begin.ticks;
    detail::scale.base_ns = begin.ns;
    detail::scale.ns_per_tick_32 = static_cast<std::uint64_t>(std::llround(ns_per_tick * 0x1p32));
    return true;
  }
  return false;
}

}  // namespace

bool calibrate_clock() {
  if (detail::scale.ns_per_tick_32 != 0) return true;
  const bool is_counter_used = calibrate_counter();
  detail::reading_cost_ns = measure_reading_cost();
  return is_counter_used;
}

bool is_tampered(const ClockAgreement& agreement) {
  constexpr double kShare = 0.01;
  constexpr double kSlackNs = 100'000;
  const double most_ns = kShare * agreement.counter_ns + kSlackNs;
  return std::abs(agreement.system_ns - agreement.counter_ns) > most_ns ||
         std::abs(agreement.kernel_ns - agreement.counter_ns) > most_ns;
}

}  // namespace graphnet::measure
