// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

namespace graphnet::base {

/// Summary of a set of durations, with upstream's definitions.
///
/// units    nanoseconds
/// source   GraphNet bench: NumPy median, 75th minus 25th percentile (linear interpolation,
///          Hyndman & Fan definition 7), mean, population standard deviation, min, max
struct Statistics {
  double median = 0;
  double iqr = 0;
  double mean = 0;
  double std = 0;
  double min = 0;
  double max = 0;
};

/// shapes   durations_ns: [n]; n == 0 gives all zeros
/// order    need not be sorted; not modified
Statistics summarise(const std::vector<double>& durations_ns);

}  // namespace graphnet::base
