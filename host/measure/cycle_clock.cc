// SPDX-License-Identifier: MIT
#include "measure/cycle_clock.h"

#include <cpuid.h>
#include <sys/syscall.h>
#include <time.h>

namespace graphnet::measure {

namespace {

constexpr std::int64_t kLeastSpanNs = 1'000'000;

bool has_invariant_counter() {
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid(0x80000007U, &eax, &ebx, &ecx, &edx) != 0 && (edx & (1U << 8U)) != 0;
}

}  // namespace

// libc's syscall() could be replaced like any other function of libc.
std::int64_t monotonic_raw_ns_by_syscall() {
  timespec now = {};
  long result = SYS_clock_gettime;
  __asm__ volatile("syscall"
                   : "+a"(result)
                   : "D"(static_cast<long>(CLOCK_MONOTONIC_RAW)), "S"(&now)
                   : "rcx", "r11", "memory");
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

CycleRate::CycleRate() : start_ns_(monotonic_raw_ns_by_syscall()), start_ticks_(cycle_count()) {}

std::optional<double> CycleRate::ns_per_tick() const {
  const std::int64_t span_ns = monotonic_raw_ns_by_syscall() - start_ns_;
  const std::uint64_t ticks = cycle_count() - start_ticks_;
  if (span_ns < kLeastSpanNs || ticks == 0 || !has_invariant_counter()) return std::nullopt;
  return static_cast<double>(span_ns) / static_cast<double>(ticks);
}

bool is_tampered(const ClockAgreement& agreement) {
  constexpr double kShare = 0.05;
  constexpr double kSlackNs = 100'000;
  return agreement.clock_ns < (1 - kShare) * agreement.cycles_ns - kSlackNs;
}

}  // namespace graphnet::measure
