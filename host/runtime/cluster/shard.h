// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"

namespace graphnet::cluster {

/// One part of a run that several machines share.
struct Shard {
  int number = 1;  ///< 1 to count
  int count = 1;
};

inline constexpr int kMaxShards = 100'000;

/// "3/8" is the third of eight.
///
/// errors   kUsage
base::Result<Shard> parse_shard(const std::string& text);

/// Which items a shard runs.
///
/// Deterministic: every machine that is given the same costs in the same order finds the same
/// parts, and each item is in exactly one of them. Balanced: items go, costliest first, to the
/// shard that has least so far; no shard then exceeds 4/3 of what the best split could reach.
/// Shard 1 has the costliest item.
///
/// order    costliest first, equal ones as given
/// source   Graham, Bounds on multiprocessing timing anomalies (1969): longest processing time
std::vector<std::size_t> shard_members(const std::vector<double>& costs, Shard shard);

}  // namespace graphnet::cluster
