// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "measure/disturbance.h"
#include "measure/family_clock.h"
#include "measure/instruments.h"

namespace graphnet::measure {

/// What some cores have done so far, and what this process's family had of them; only differences
/// mean something.
struct CoresAt {
  std::vector<CoreTicks> cores;  ///< one entry a core
  std::int64_t family_ns = 0;    ///< processor time on these cores
  std::int64_t at_ns = 0;        ///< see clock.h
};

/// Share of the cores' time that other programs, and the hypervisor, had between two readings.
///
/// The kernel samples what a core does at its ticks, and tells hundredths of a second: in one
/// second of a core the standard deviation is some 3 % of it at 250 Hz. Programs that wake with the
/// tick and sleep before the next are not seen.
///
/// shapes   tick_ns: length of a CoreTicks tick
/// errors   nothing for less than 0.8 s of a core, where the ticks of a core have not gone on with
///          the clock, and where the family ran for longer than the cores were busy: a sandbox may
///          show other cores, or numbers that do not go on
std::optional<double> others_share(const CoresAt& before, const CoresAt& after, double tick_ns);

/// Lets the instruments watch `cores`, to which this process is bound; `clock` is borrowed.
///
/// source   /proc/stat, a line a core (proc(5))
void watch_others(Instruments& instruments, const FamilyClock& clock, std::vector<int> cores);

}  // namespace graphnet::measure
