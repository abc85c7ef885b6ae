// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/json.h"
#include "measure/paired.h"
#include "worker/eager_side.h"
#include "worker/eager_standby.h"
#include "worker/plugin_side.h"
#include "worker/timing_watch.h"

namespace graphnet::worker {

/// Whether eager in the pairs was so much slower than before the plugin was loaded that it has to
/// be found out why: by more than 10 %, and by more than the ratio's interval is wide. Caches that
/// the plugin has filled and a machine that has become slower do that too.
///
/// units    nanoseconds a call
bool is_suspicious(double before_ns, double in_pairs_ns, const measure::PairedSummary& summary);

/// Decides from pairs of times, here by there, one after the other under the same conditions:
/// slower here if the whole interval (99 %) is above 1.05.
///
/// shapes   log_ratios: at least 5
bool is_slower_here(const std::vector<double>& log_ratios);

/// The sides of one sample and the copy of this process that no code of a plugin has touched.
struct WatchedEager {
  EagerSide& eager;
  PluginSide& plugin;
  EagerStandby& standby;
};

/// Compares eager here with eager in the copy, call by call, each after a call of the plugin here,
/// so that caches are alike and what the plugin does between its calls goes on. While the copy
/// works this process stands still. A few seconds.
///
/// | flag           | means                                                             |
/// |----------------|-------------------------------------------------------------------|
/// | `eager_slowed` | the reference is slower in the process where the plugin was loaded |
///
/// shapes   report: what was found, {"here_ns", "there_ns", "ratio", "pairs"}, or why nothing was
std::vector<Finding> confirm_slowed(const WatchedEager& watched, double call_ns, int threads,
                                    const measure::PairedSettings& settings, base::Json& report);

}  // namespace graphnet::worker
