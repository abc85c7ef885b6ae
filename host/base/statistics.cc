// SPDX-License-Identifier: MIT
#include "base/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace graphnet::base {

namespace {

// NumPy's `linear` method, with its two-sided interpolation so that the last bit agrees too.
double percentile(const std::vector<double>& sorted, double fraction) {
  const double rank = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double weight = rank - static_cast<double>(below);
  const double step = sorted[above] - sorted[below];
  return weight >= 0.5 ? sorted[above] - step * (1 - weight) : sorted[below] + step * weight;
}

double median_of(const std::vector<double>& sorted) {
  const std::size_t middle = sorted.size() / 2;
  if (sorted.size() % 2 == 1) return sorted[middle];
  return (sorted[middle - 1] + sorted[middle]) / 2;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double population_deviation(const std::vector<double>& values, double mean) {
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / static_cast<double>(values.size()));
}

}  // namespace

Statistics summarise(const std::vector<double>& durations_ns) {
  Statistics summary;
  if (durations_ns.empty()) return summary;
  std::vector<double> sorted = durations_ns;
  std::sort(sorted.begin(), sorted.end());
  summary.median = median_of(sorted);
  summary.iqr = percentile(sorted, 0.75) - percentile(sorted, 0.25);
  summary.mean = mean_of(durations_ns);
  summary.std = population_deviation(durations_ns, summary.mean);
  summary.min = sorted.front();
  summary.max = sorted.back();
  return summary;
}

}  // namespace graphnet::base
