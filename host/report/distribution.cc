// SPDX-License-Identifier: MIT
#include "report/distribution.h"

#include <algorithm>
#include <cmath>

namespace graphnet::report {

namespace {

// Beyond this many draws in all, fewer resamples are taken: 2,500 values get 600.
constexpr double kMaxDraws = 1.5e6;
constexpr int kMaxResamples = 2000;
constexpr int kMinResamples = 200;

// A generator of one line, as the standard's are ten times slower than the sums they feed.
//
// source   SplitMix64, Steele, Lea & Flood 2014
std::uint64_t next_random(std::uint64_t& state) {
  std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

double mean_of_draw(const std::vector<double>& values, std::uint64_t& state) {
  double sum = 0;
  const std::uint64_t count = values.size();
  for (std::uint64_t i = 0; i < count; ++i) {
    // The high half times the count: even for all counts below 2^32 to within 2^-32.
    sum += values[(next_random(state) >> 32) * count >> 32];
  }
  return sum / static_cast<double>(count);
}

}  // namespace

double quantile(const std::vector<double>& sorted, double part) {
  if (sorted.empty()) return 0;
  const double rank = std::clamp(part, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
  const std::size_t below = static_cast<std::size_t>(rank);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (rank - static_cast<double>(below)) * (sorted[above] - sorted[below]);
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
  const double from = *least - 2 * width;
  const double step = (*greatest + 2 * width - from) / (num_points - 1);
  Density density;
  for (int i = 0; i < num_points; ++i) {
    const double place = from + i * step;
    double height = 0;
    for (const double value : values) {
      const double z = (place - value) / width;
      if (std::fabs(z) < 6) height += std::exp(-0.5 * z * z);
    }
    density.places.push_back(place);
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
  std::vector<double> means;
  for (int i = 0; i < resamples; ++i) means.push_back(mean_of_draw(logs, seed));
  std::sort(means.begin(), means.end());
  result.low = std::exp(quantile(means, (1 - kConfidence) / 2));
  result.high = std::exp(quantile(means, (1 + kConfidence) / 2));
  result.has_interval = true;
  return result;
}

}  // namespace graphnet::report
