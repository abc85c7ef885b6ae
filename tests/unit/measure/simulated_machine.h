// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "measure/paired.h"

namespace graphnet::measure {

/// Settings that never stop early, with `pairs` pairs and no controls.
inline PairedSettings exactly(int pairs) {
  PairedSettings settings;
  settings.half_width = settings.margin = -1;
  settings.max_pairs = pairs;
  settings.control_every = 0;
  settings.first_analysis = std::min(settings.first_analysis, pairs);
  settings.time_ns = settings.long_call_time_ns = std::int64_t{1} << 60U;
  settings.remeasure = false;
  return settings;
}

/// A machine whose clock moves only when a side is called, so that measurements take no time and
/// are the same in every run.
class SimulatedMachine {
 public:
  explicit SimulatedMachine(std::uint64_t seed = 1) : generator_(seed) {}

  /// Duration of a call of a side that starts now; may move `waited_ns` and the like.
  ///
  /// units    nanoseconds
  std::function<double(Side)> duration = [](Side) { return 1e6; };
  /// Steal share of each look.
  std::function<double()> steal = [] { return 0.0; };
  /// What others had of the cores up to each look; empty: nobody knows.
  OthersShare others;

  std::int64_t now_ns = 0;
  DisturbanceCounters counters = {0, 0, 0, std::nullopt, std::nullopt, 0, 0};
  std::string calls;  ///< 'e' and 'b' in the order of the calls
  int quiet_waits = 0;
  int idle_waits = 0;
  int flushes = 0;
  bool others_sleep = true;

  PerSide<SideCalls> sides() {
    PerSide<SideCalls> both;
    for (const Side side : {kEager, kBackend}) {
      both[side].call = [this, side] {
        calls += side == kEager ? 'e' : 'b';
        now_ns += std::llround(duration(side));
        return base::Status::ok();
      };
    }
    return both;
  }

  Instruments instruments() {
    Instruments all;
    // A reading costs 20 ns, as a real one does.
    all.now = [this] { return now_ns += 20; };
    all.counters = [this] { return counters; };
    all.steal_share = [this] { return steal(); };
    all.watch_others = [this] { return [this] { return others ? others() : std::nullopt; }; };
    all.wait_idle = [this] {
      ++idle_waits;
      return others_sleep;
    };
    all.flush_cache = [this] { ++flushes; };
    all.wait_quiet = [this] { ++quiet_waits; };
    return all;
  }

  base::Result<PairedResult> compare(const PairedSettings& settings,
                                     const PairedHooks& hooks = {}) {
    const Instruments tools = instruments();
    const PerSide<SideCalls> both = sides();
    PerSide<Warmup> warm;
    for (const Side side : {kEager, kBackend}) {
      GN_ASSIGN_OR_RETURN(warm[side], warm_up(both[side], settings, tools));
    }
    calls.clear();
    return time_paired(both, warm, hooks, settings, tools);
  }

  /// shapes   result in (0, 1)
  double uniform() { return (static_cast<double>(generator_() >> 11U) + 0.5) * 0x1p-53; }
  /// Standard normal deviate, by Box and Muller.
  double normal() {
    return std::sqrt(-2 * std::log(uniform())) * std::cos(6.283185307179586 * uniform());
  }

 private:
  std::mt19937_64 generator_;
};

}  // namespace graphnet::measure
