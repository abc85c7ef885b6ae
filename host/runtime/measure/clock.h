// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "measure/cycle_clock.h"

namespace graphnet::measure {

/// Reads the clock of every duration in a record: it never jumps and is not slewed by NTP. It is
/// the processor's counter once calibrate_clock() has found it fit; before that, and elsewhere, the
/// system's clock by a system call of our own. Code of a plugin can neither replace nor slow the
/// counter down, but it can have readings trap (PR_SET_TSC) and answer them: ClockAgreement.
///
/// units    nanoseconds on the scale of CLOCK_MONOTONIC_RAW; only differences mean something
/// source   counter: 10 to 25 ns a reading; system call: about 200 ns
inline std::int64_t monotonic_raw_ns() {
  const TickScale& scale = tick_scale();
  if (scale.ns_per_tick_32 == 0) return monotonic_raw_ns_by_syscall();
  return scale.to_ns(ordered_cycle_count());
}

/// Reads CLOCK_MONOTONIC_RAW through libc and vDSO, to check the counter. A plugin that replaces
/// this function wants to falsify times, and the difference to the counter shows it.
///
/// units    nanoseconds
std::int64_t system_clock_ns();

}  // namespace graphnet::measure
