// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace graphnet::measure {

enum class CacheMode { kHot, kCold, kBoth };

/// All parameters of protocol `paired`. The initial values are those of
/// configs/protocols/standard.yaml, where each is explained; a unit test compares the two.
///
/// units    nanoseconds; half_width and margin are fractions of the ratio
struct PairedSettings {
  double half_width = 0.005;
  double margin = 0.01;
  double confidence = 0.95;
  int first_analysis = 12;
  int max_pairs = 2000;
  std::int64_t time_ns = 2'000'000'000;
  int long_call_pairs = 48;
  std::int64_t long_call_time_ns = 10'000'000'000;
  int fewest_pairs = 5;
  std::int64_t settle_below_ns = 5'000'000;
  int warmup_calls = 3;
  double warmup_change = 0.02;
  std::int64_t warmup_time_ns = 2'000'000'000;
  CacheMode cache = CacheMode::kHot;  ///< kBoth: see passes()
  std::int64_t flush_bytes = 0;       ///< kCold; 0: twice the last-level cache
  bool affinity = true;  ///< all threads on as many cores as the sides may use; core_binding.h
  double disturbed_share = 0.01;
  double max_dropped = 0.34;
  double max_waited = 0.2;
  double max_steal = 0.1;
  double max_width = 0.05;
  bool remeasure = true;
  std::int64_t quiet_wait_ns = 1'000'000'000;
  std::int64_t idle_wait_ns = 50'000'000;
  std::uint64_t seed = 1;
  /// Pairs between two controls; 0: none. No key of a file: results of all protocols have them.
  int control_every = 4;
  bool replay = false;  ///< the plugin's timed calls are launches of one captured graph
};

/// Reads what config::Protocol::paired holds.
///
/// errors   kInput: a key is missing, not known, of another type, or negative
base::Result<PairedSettings> paired_settings(const base::Json& json);

/// "hot", "cold", "both".
const char* cache_mode_name(CacheMode cache);

/// The measurements that the settings ask for, one after the other: themselves, or for kBoth one
/// with kHot and one with kCold.
std::vector<PairedSettings> passes(const PairedSettings& settings);

}  // namespace graphnet::measure
