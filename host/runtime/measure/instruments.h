// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "measure/disturbance.h"
#include "measure/paired_settings.h"

namespace graphnet::measure {

/// Of the cores' time; see others_share.h.
using OthersShare = std::function<std::optional<double>()>;

/// The functions through which the paired engine reads the machine. Tests replace them by a
/// simulated machine: a measurement then takes no time and gives the same result in every run.
struct Instruments {
  /// units    nanoseconds; see clock.h
  std::function<std::int64_t()> now;
  /// What two readings of `now` cost, from before the plugin's code was here; 0: not known yet.
  double clock_ns = 0;
  /// On how many cores the sides may work at a time.
  int threads = 1;
  /// Read right before and right after each side sample, outside the clock.
  std::function<DisturbanceCounters()> counters;
  /// Share of all cores' time that the hypervisor took since the last call; 0 if unknown.
  std::function<double()> steal_share;
  /// Begins to count what other programs have of the cores. The function that it returns gives
  /// their share from then to the moment of the call, or nothing if it is unknown. Empty where
  /// nobody counts.
  std::function<OthersShare()> watch_others;
  /// Waits until the process's other threads sleep; false: gave up.
  std::function<bool()> wait_idle;
  /// Pushes the arguments out of the caches; empty: caches stay as they are.
  std::function<void()> flush_cache;
  /// Waits for a quieter moment before the second attempt.
  std::function<void()> wait_quiet;
};

/// Those of this machine. The functions share what they keep open; call them from one thread only.
Instruments machine_instruments(const PairedSettings& settings, int threads);

}  // namespace graphnet::measure
