// SPDX-License-Identifier: MIT
#include "measure/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <random>

#include "base/resampling.h"

namespace graphnet::measure {

namespace {

constexpr int kResamples = 2000;

/// Reorders values.
double median_in_place(std::vector<double>& values) {
  const std::size_t middle = values.size() / 2;
  const auto above = values.begin() + static_cast<std::ptrdiff_t>(middle);
  std::nth_element(values.begin(), above, values.end());
  if (values.size() % 2 == 1) return *above;
  return (*std::max_element(values.begin(), above) + *above) / 2;
}

/// Resamples of a short series vary too little, the more so the longer the blocks. Without this
/// factor 12 independent values cover 92 % where 95 are meant, with it 96 %.
///
/// source   simulation, 1,500 series each; see bootstrap_median for what remains
double short_series_widening(std::size_t count, std::size_t length) {
  const auto values = static_cast<double>(count);
  return std::sqrt(values / std::max(1.0, values - 3 * static_cast<double>(length)));
}

}  // namespace

double median(std::vector<double> values) {
  return values.empty() ? 0 : median_in_place(values);
}

int block_length(const std::vector<double>& series) {
  constexpr std::size_t kFewest = 8;
  if (series.size() < kFewest) return 1;
  const double middle = median(series);
  const auto sign = [&](std::size_t i) {
    return static_cast<double>(series[i] > middle) - static_cast<double>(series[i] < middle);
  };
  double product = 0;
  double square = 0;
  for (std::size_t i = 0; i < series.size(); ++i) {
    square += sign(i) * sign(i);
    if (i > 0) product += sign(i - 1) * sign(i);
  }
  const auto count = static_cast<double>(series.size());
  const double correlation = square > 0 ? std::min(product / square, 0.95) : 0;
  if (correlation <= 0) return 1;
  const double ratio = 2 * correlation / (1 - correlation * correlation);
  const double length = std::ceil(std::cbrt(ratio * ratio * count));
  return static_cast<int>(std::clamp(length, 1.0, std::floor(count / 4)));
}

MedianInterval bootstrap_median(const std::vector<double>& series, double confidence,
                                std::uint64_t seed) {
  MedianInterval interval;
  if (series.empty()) return interval;
  interval.block_length = block_length(series);
  const auto length = static_cast<std::size_t>(interval.block_length);
  std::mt19937_64 generator(seed);
  std::vector<double> resample(series.size());
  std::vector<double> medians(kResamples);
  for (double& resampled : medians) {
    for (std::size_t filled = 0; filled < series.size();) {
      const std::size_t from = base::draw_index(generator, series.size() - length + 1);
      for (std::size_t i = 0; i < length && filled < series.size(); ++i) {
        resample[filled++] = series[from + i];
      }
    }
    resampled = median_in_place(resample);
  }
  std::sort(medians.begin(), medians.end());
  const double middle = median(series);
  const double widening = short_series_widening(series.size(), length);
  const auto end = [&](double fraction) {
    return middle + (base::sorted_quantile(medians, fraction) - middle) * widening;
  };
  interval.low = end((1 - confidence) / 2);
  interval.high = end((1 + confidence) / 2);
  return interval;
}

}  // namespace graphnet::measure
