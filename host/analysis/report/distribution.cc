// SPDX-License-Identifier: MIT
#include "report/distribution.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/resampling.h"

namespace graphnet::report {

namespace {

// Beyond this many draws in all, fewer resamples are taken: 2,500 values get 600.
constexpr double kMaxDraws = 1.5e6;
constexpr int kMaxResamples = 2000;
constexpr int kMinResamples = 200;

double mean_of_draw(const std::vector<double>& values, std::mt19937_64& generator) {
  double sum = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += values[base::draw_index(generator, values.size())];
  }
  return sum / static_cast<double>(values.size());
}

}  // namespace

double quantile(const std::vector<double>& sorted, double part) {
  return sorted.empty() ? 0 : base::sorted_quantile(sorted, part);
}

Density kernel_density(const std::vector<double>& values, int num_points) {
  const double count = static_cast<double>(values.size());
  if (values.size() < 3) return {};
  double mean = 0;
  double variance = 0;
  for (const double value : values) mean += value / count;
  for (const double value : values) variance += (value - mean) * (value - mean) / (count - 1);
  const double width = std::sqrt(variance) * std::pow(count, -0.2);
  if (!(width > 1e-9)) return {};
  const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
  const double step = (*greatest - *least) / (num_points - 1);
  Density density;
  for (int i = 0; i < num_points; ++i) {
    const double point = *least + i * step;
    double height = 0;
    for (const double value : values) {
      const double z = (point - value) / width;
      if (std::fabs(z) < 6) height += std::exp(-0.5 * z * z);
    }
    density.points.push_back(point);
    density.heights.push_back(height / (count * width * 2.5066282746310002));  // sqrt(2 pi)
  }
  return density;
}

GeometricMean geometric_mean(const std::vector<double>& values, std::uint64_t seed) {
  GeometricMean result;
  result.count = static_cast<int>(values.size());
  if (values.empty()) return result;
  std::vector<double> logs;
  double sum = 0;
  for (const double value : values) {
    logs.push_back(std::log(value));
    sum += logs.back();
  }
  result.value = std::exp(sum / static_cast<double>(logs.size()));
  result.low = result.high = result.value;
  if (logs.size() < 2) return result;
  const double affordable = kMaxDraws / static_cast<double>(logs.size());
  const int resamples =
      static_cast<int>(std::clamp<double>(affordable, kMinResamples, kMaxResamples));
  std::mt19937_64 generator(seed);
  std::vector<double> means;
  for (int i = 0; i < resamples; ++i) means.push_back(mean_of_draw(logs, generator));
  std::sort(means.begin(), means.end());
  result.low = std::exp(quantile(means, (1 - kConfidence) / 2));
  result.high = std::exp(quantile(means, (1 + kConfidence) / 2));
  result.has_interval = true;
  return result;
}

}  // namespace graphnet::report
