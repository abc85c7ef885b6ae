// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "report/distribution.h"
#include "report/result_row.h"
#include "report/text_table.h"

namespace graphnet::report {

/// What one backend makes of more threads: its results with one number of threads beside those with
/// the fewest that were tried, under conditions that are equal otherwise.
///
/// units    gains are times with the fewest threads by times with `threads`, above 1 it is faster
struct ThreadScaling {
  std::string backend;  ///< BackendThreads::name of the one with more threads
  int fewest = 1;
  int threads = 2;
  GeometricMean gain;               ///< of the plugin, on samples that count in both
  GeometricMean eager_gain;         ///< of eager, on the same
  std::vector<std::string> slower;  ///< samples whose calls take longer with more threads

  /// How much of the added threads is gained: the gain by how many times more threads there are.
  double efficiency() const { return gain.value * fewest / threads; }
};

/// Both numbers are of runs of their own, not of pairs: what is less than this slower may be
/// chance.
inline constexpr double kSlowerWithThreads = 1.05;

/// One a backend and number of threads that is not the fewest; empty if all have one number.
///
/// order    as Report::backends
std::vector<ThreadScaling> thread_scaling(const Report& report);

/// As rows of a table, with as many cells as its heads.
const Cells& thread_scaling_heads();
std::vector<Cells> thread_scaling_rows(const std::vector<ThreadScaling>& scalings);

}  // namespace graphnet::report
