// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace graphnet::report {

/// Quantile by linear interpolation; 0 if there are no values.
///
/// shapes   sorted: ascending; part in [0, 1]
/// source   Hyndman & Fan 1996, definition 7
double quantile(const std::vector<double>& sorted, double part);

/// Density at even points from the least value to the greatest, so that nothing is drawn where no
/// value was seen.
struct Density {
  std::vector<double> points;
  std::vector<double> heights;
};

/// Gaussian kernel density; empty if fewer than 3 values, or all the same.
///
/// source   Scott's rule for the bandwidth, n^(-1/5) standard deviations, as seaborn's violins
Density kernel_density(const std::vector<double>& values, int num_points);

/// Geometric mean with its percentile bootstrap interval, drawn over the values.
struct GeometricMean {
  double value = 0;
  double low = 0;
  double high = 0;
  int count = 0;
  bool has_interval = false;  ///< with at least two values
};

/// Confidence of geometric_mean().
inline constexpr double kConfidence = 0.95;

/// order    values in any order, all above 0; the result depends on values, their order and seed
GeometricMean geometric_mean(const std::vector<double>& values, std::uint64_t seed = 123);

}  // namespace graphnet::report
