// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

namespace graphnet::measure {

/// An interval for the median of a series.
struct MedianInterval {
  double low = 0;
  double high = 0;
  int block_length = 1;
};

/// Median of values; 0 if there are none.
///
/// order    need not be sorted
double median(std::vector<double> values);

/// Length of the blocks that are drawn together, from the lag-1 correlation of the signs around the
/// median: signs, because the median depends on nothing else, and an outlier must not hide or feign
/// a correlation.
///
/// shapes   result in [1, n / 4], 1 if n < 8
/// source   (2 r / (1 - r^2))^(2/3) n^(1/3): Carlstein 1986 for a first-order autoregression
int block_length(const std::vector<double>& series);

/// Moving-block bootstrap of the median, percentile interval, widened for short series.
///
/// A series cannot tell its own correlation well, so that intervals of correlated ones are too
/// narrow. Share of 1,500 simulated first-order autoregressions whose interval of 95 % held the
/// median: correlation 0 95 to 96 % (12 to 200 values), 0.5 85 % (12) to 91 % (200), 0.8 69 % (12)
/// to 87 % (200). Pairs remove most correlation: neighbouring ratios of real runs show next to
/// none.
///
/// shapes   series: [n] in the order of measuring; n == 0 gives zeros
/// order    the result depends on series, confidence and seed only
MedianInterval bootstrap_median(const std::vector<double>& series, double confidence,
                                std::uint64_t seed);

}  // namespace graphnet::measure
