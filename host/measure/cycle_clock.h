// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

namespace graphnet::measure {

/// Reads the processor's cycle counter: one instruction, inlined, that no code of a plugin can
/// replace. It is the second opinion on durations of the system's clock, whose function lives in
/// memory that a plugin can write to.
///
/// units    ticks at a constant rate; only differences mean something
inline std::uint64_t cycle_count() {
  return __builtin_ia32_rdtsc();
}

/// Reads CLOCK_MONOTONIC_RAW by a system call of our own, past libc and vDSO.
///
/// units    nanoseconds; about 200 ns a reading
std::int64_t monotonic_raw_ns_by_syscall();

/// Rate of the cycle counter, from the moment of construction to the moment of asking.
class CycleRate {
 public:
  CycleRate();

  /// Nothing if the counter's rate changes with the clock frequency, or if less than a millisecond
  /// has passed.
  ///
  /// units    nanoseconds per tick
  /// source   CPUID leaf 80000007h, EDX bit 8 (invariant TSC)
  std::optional<double> ns_per_tick() const;

 private:
  std::int64_t start_ns_;
  std::uint64_t start_ticks_;
};

/// Compares durations that the system's clock gave with the cycle counter over the same calls.
struct ClockAgreement {
  double clock_ns = 0;   ///< sum of the durations as recorded
  double cycles_ns = 0;  ///< the same by the cycle counter
};

/// True if the recorded durations are shorter than the counter's by more than any preemption
/// between the two readings explains: 5 % and 100 microseconds in sum.
bool is_tampered(const ClockAgreement& agreement);

}  // namespace graphnet::measure
