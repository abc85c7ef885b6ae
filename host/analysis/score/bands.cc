// SPDX-License-Identifier: MIT
#include "score/bands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "base/resampling.h"
#include "score/formulas.h"

namespace graphnet::score {

namespace {

/// Logarithms of what a row contributes, by level_index().
struct Contribution {
  std::array<double, kNumLevels> log_s = {};
  std::array<double, kNumLevels> log_es = {};
};

Contribution contribution_of(const Row& row, const Settings& settings) {
  Contribution contribution;
  for (int t = kFirstLevel; t <= kLastLevel; ++t) {
    contribution.log_s[level_index(t)] = static_cast<double>(log_s(row, t, settings));
    contribution.log_es[level_index(t)] = static_cast<double>(log_es(row, t, settings));
  }
  return contribution;
}

/// Percentile interval of values; reorders them.
Band interval_of(std::vector<double>& values, double confidence) {
  std::sort(values.begin(), values.end());
  return {base::sorted_quantile(values, (1 - confidence) / 2),
          base::sorted_quantile(values, (1 + confidence) / 2)};
}

/// Mean of the contributions of as many rows, drawn with replacement.
Contribution resampled_mean(const std::vector<Contribution>& contributions,
                            std::mt19937_64& generator) {
  Contribution mean;
  for (std::size_t i = 0; i < contributions.size(); ++i) {
    const Contribution& drawn = contributions[base::draw_index(generator, contributions.size())];
    for (std::size_t level = 0; level < kNumLevels; ++level) {
      mean.log_s[level] += drawn.log_s[level];
      mean.log_es[level] += drawn.log_es[level];
    }
  }
  const auto count = static_cast<double>(contributions.size());
  for (std::size_t level = 0; level < kNumLevels; ++level) {
    mean.log_s[level] /= count;
    mean.log_es[level] /= count;
  }
  return mean;
}

Band without_resamples(const Settings& settings, std::vector<Point>& points) {
  for (Point& point : points) {
    point.s_band = {point.s, point.s};
    point.es_band = {point.es, point.es};
  }
  const double aggregate = weighted_aggregate(points, settings.weights);
  return {aggregate, aggregate};
}

}  // namespace

Band fill_bands(const std::vector<Row>& rows, const Settings& settings,
                std::vector<Point>& points) {
  if (points.empty()) return {};
  if (settings.resamples <= 0) return without_resamples(settings, points);
  std::vector<Contribution> contributions;
  contributions.reserve(rows.size());
  for (const Row& row : rows) contributions.push_back(contribution_of(row, settings));
  std::mt19937_64 generator(settings.seed);
  std::vector<Contribution> means;
  for (int i = 0; i < settings.resamples; ++i) {
    means.push_back(resampled_mean(contributions, generator));
  }
  std::vector<double> values(means.size());
  for (Point& point : points) {
    const std::size_t level = level_index(point.t);
    const auto band = [&](auto member) {
      std::transform(means.begin(), means.end(), values.begin(),
                     [&](const Contribution& mean) { return std::exp((mean.*member)[level]); });
      return interval_of(values, settings.confidence);
    };
    point.s_band = band(&Contribution::log_s);
    point.es_band = band(&Contribution::log_es);
  }
  std::vector<Point> resampled = points;
  std::transform(means.begin(), means.end(), values.begin(), [&](const Contribution& mean) {
    for (Point& point : resampled) point.es = std::exp(mean.log_es[level_index(point.t)]);
    return weighted_aggregate(resampled, settings.weights);
  });
  return interval_of(values, settings.confidence);
}

}  // namespace graphnet::score
