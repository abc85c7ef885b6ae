// SPDX-License-Identifier: MIT
#pragma once

#include <time.h>

#include <cstdint>

namespace graphnet::measure {

/// Reads the processor's cycle counter between two fences: what stands before it has been executed
/// (stores may still be on their way to the caches), and what stands behind has not begun. `rdtscp`
/// would be no better, since what follows it may begin before it; nothing here needs the number of
/// the core that it also gives.
///
/// units    ticks at a constant rate; only differences mean something
/// source   Intel SDM, RDTSC and LFENCE; AMD's LFENCE is the same where Linux runs
inline std::uint64_t ordered_cycle_count() {
  __builtin_ia32_lfence();
  const std::uint64_t ticks = __builtin_ia32_rdtsc();
  __builtin_ia32_lfence();
  return ticks;
}

/// Whether a signal stands in for a reading of the counter on this thread: whoever handles it works
/// before the clock of each call starts, however short the steps around the call are.
///
/// source   prctl(2), PR_GET_TSC
bool cycle_count_raises_signal();

/// Reads a clock by a system call of our own, past libc and vDSO, whose code lies in memory that a
/// plugin can write to.
///
/// units    nanoseconds; about 200 ns a reading
std::int64_t clock_ns_by_syscall(clockid_t clock);

/// CLOCK_MONOTONIC_RAW by clock_ns_by_syscall().
std::int64_t monotonic_raw_ns_by_syscall();

/// How ticks become nanoseconds.
struct TickScale {
  std::uint64_t base_ticks = 0;
  std::int64_t base_ns = 0;
  std::uint64_t ns_per_tick_32 = 0;  ///< times 2^32; 0: the counter is not used

  std::int64_t to_ns(std::uint64_t ticks) const {
    __extension__ using Wide = unsigned __int128;
    return base_ns +
           static_cast<std::int64_t>(static_cast<Wide>(ticks - base_ticks) * ns_per_tick_32 >> 32U);
  }
};

/// The scale of this process; what it forks inherits it.
namespace detail {
extern TickScale scale;
}
inline const TickScale& tick_scale() {
  return detail::scale;
}

/// Finds out how fast the counter is, against CLOCK_MONOTONIC_RAW over two milliseconds, or up to
/// 32 where system calls are slow: within 0.05 %, the same for all that is compared later. Does
/// nothing the second time. Returns whether the counter is in use: not where its rate changes with
/// the clock frequency, or where the machine was too busy to find out.
///
/// order    before any code of a plugin is mapped
/// source   CPUID leaf 80000007h, EDX bit 8 (invariant TSC)
bool calibrate_clock();

/// Median cost of two readings of the clock that follow each other, as calibrate_clock() found it;
/// 0 before that.
///
/// units    nanoseconds
double reading_cost_ns();

/// Durations of the same stretches by three clocks.
struct ClockAgreement {
  double system_ns = 0;   ///< by system_clock_ns()
  double kernel_ns = 0;   ///< by monotonic_raw_ns_by_syscall()
  double counter_ns = 0;  ///< by monotonic_raw_ns()
};

/// True if one of the first two differs from the counter, in either direction, by more than rates
/// and readings explain: 1 % and 100 microseconds in sum. libc's clock can be replaced alone; who
/// answers readings of the counter itself (PR_SET_TSC) changes libc's too, but not the kernel's.
bool is_tampered(const ClockAgreement& agreement);

}  // namespace graphnet::measure
