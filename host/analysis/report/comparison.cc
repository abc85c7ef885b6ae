// SPDX-License-Identifier: MIT
#include "report/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace graphnet::report {

namespace {

// Without an interval: what method `upstream` cannot tell apart, see measure/protocol.h.
constexpr double kLeastWithoutInterval = 0.10;

struct MetricName {
  Metric metric;
  const char* name;
};
constexpr std::array<MetricName, 3> kMetrics = {
    {{Metric::kSpeedup, "speedup"}, {Metric::kPlugin, "plugin"}, {Metric::kEager, "eager"}}};

constexpr std::array<const char*, 7> kChanges = {"same",   "faster",    "slower",     "broken",
                                                 "mended", "both fail", "no evidence"};

// z so that a normal variable exceeds it with probability `tail`, by bisection.
double normal_quantile(double tail) {
  double low = 0;
  double high = 40;
  for (int i = 0; i < 80; ++i) {
    const double middle = (low + high) / 2;
    (0.5 * std::erfc(middle / std::sqrt(2)) > tail ? low : high) = middle;
  }
  return low;
}

std::optional<double> positive(const std::optional<double>& value) {
  return value && *value > 0 && std::isfinite(*value) ? value : std::nullopt;
}

std::optional<double> ratio_of(const ResultRow& a, const ResultRow& b, Metric metric) {
  const auto pick = [&](const ResultRow& row) {
    if (metric == Metric::kSpeedup) return positive(row.speedup);
    return positive(metric == Metric::kPlugin ? row.plugin_ns : row.eager_ns);
  };
  const auto of_a = pick(a);
  const auto of_b = pick(b);
  if (!of_a || !of_b) return std::nullopt;
  return metric == Metric::kSpeedup ? *of_b / *of_a : *of_a / *of_b;
}

// Half the width of a speedup's interval in the logarithm.
std::optional<double> half_width(const ResultRow& row) {
  const auto low = positive(row.speedup_low);
  const auto high = positive(row.speedup_high);
  if (!low || !high || *high < *low) return std::nullopt;
  return std::log(*high / *low) / 2;
}

Change change_of_times(const ComparedSample& sample, double threshold, double widening) {
  const double ratio = *sample.ratio;
  double low = ratio;
  double high = ratio;
  double margin = threshold;
  if (sample.low && sample.high) {
    low = ratio * std::pow(*sample.low / ratio, widening);
    high = ratio * std::pow(*sample.high / ratio, widening);
  } else {
    margin = std::max(margin, kLeastWithoutInterval);
  }
  if (high < 1 - margin) return Change::kSlower;
  return low > 1 / (1 - margin) ? Change::kFaster : Change::kSame;
}

/// What change_of_times() calls slower, as a drop below 1.
double detectable_drop(const ComparedSample& sample, double threshold, double widening) {
  if (!sample.high) return std::max(threshold, kLeastWithoutInterval);
  return 1 - (1 - threshold) * std::pow(*sample.ratio / *sample.high, widening);
}

Detectable detectable_drops(const Comparison& comparison, double widening) {
  Detectable result;
  const GeometricMean& mean = comparison.ratio;
  if (mean.has_interval) result.mean = 1 - (1 - comparison.threshold) * mean.value / mean.high;
  std::vector<double> drops;
  for (const ComparedSample& sample : comparison.samples) {
    if (!sample.ratio) continue;
    drops.push_back(detectable_drop(sample, comparison.threshold, widening));
    if (result.worst_sample && drops.back() <= *result.worst_sample) continue;
    result.worst_sample = drops.back();
    result.worst_name = sample.sample;
  }
  if (drops.empty()) return result;
  std::sort(drops.begin(), drops.end());
  result.median_sample = drops[(drops.size() - 1) / 2];
  return result;
}

std::optional<bool> same_digest(const std::string& a, const std::string& b) {
  return a.empty() || b.empty() ? std::optional<bool>() : a == b;
}

ComparedSample compare_rows(const ResultRow& a, const ResultRow& b, Metric metric) {
  ComparedSample sample;
  sample.same_inputs = same_digest(a.inputs_digest, b.inputs_digest);
  sample.same_eager = same_digest(a.eager_digest, b.eager_digest);
  sample.same_plugin = same_digest(a.plugin_digest, b.plugin_digest);
  sample.sample = a.sample;
  sample.outcome_a = a.outcome.text();
  sample.outcome_b = b.outcome.text();
  if (!a.is_ok() || !b.is_ok()) {
    sample.change = a.is_ok() ? Change::kBroken : b.is_ok() ? Change::kMended : Change::kBothFail;
    return sample;
  }
  const auto ratio = ratio_of(a, b, metric);
  if (!ratio || !a.left_out.empty() || !b.left_out.empty()) {
    sample.change = Change::kNoEvidence;
    return sample;
  }
  sample.ratio = ratio;
  const auto half_a = half_width(a);
  const auto half_b = half_width(b);
  if (half_a && half_b) {
    const double half = std::hypot(*half_a, *half_b);
    sample.low = *ratio * std::exp(-half);
    sample.high = *ratio * std::exp(half);
  }
  return sample;
}

std::map<std::string, const ResultRow*> tried(const ComparedSide& side) {
  std::map<std::string, const ResultRow*> rows;
  for (const ResultRow* row : side.rows) {
    if (!row->is_not_run()) rows[row->sample] = row;
  }
  return rows;
}

}  // namespace

const char* metric_name(Metric metric) {
  return kMetrics[static_cast<std::size_t>(metric)].name;
}

std::optional<Metric> metric_from_name(const std::string& name) {
  for (const MetricName& known : kMetrics) {
    if (name == known.name) return known.metric;
  }
  return std::nullopt;
}

const char* change_name(Change change) {
  return kChanges[static_cast<std::size_t>(change)];
}

int Comparison::count(Change change) const {
  return static_cast<int>(
      std::count_if(samples.begin(), samples.end(),
                    [&](const ComparedSample& sample) { return sample.change == change; }));
}

BitCounts Comparison::count_bits(std::optional<bool> ComparedSample::*same) const {
  BitCounts counts;
  for (const ComparedSample& sample : samples) {
    if (sample.*same) ++(*(sample.*same) ? counts.equal : counts.different);
  }
  return counts;
}

bool Comparison::is_mean_slower() const {
  return ratio.has_interval && ratio.high < 1 - threshold;
}

std::vector<std::string> Comparison::regression_causes() const {
  RegressionRule found;
  found.slower = is_mean_slower() || count(Change::kSlower) > 0;
  found.broken = count(Change::kBroken) > 0;
  found.missing = !missing.empty();
  found.unclear = count(Change::kNoEvidence) > 0;
  std::vector<std::string> causes;
  for (const RegressionCause& cause : kRegressionCauses) {
    if (rule.*cause.member && found.*cause.member) causes.emplace_back(cause.name);
  }
  return causes;
}

Comparison compare(const ComparedSide& a, const ComparedSide& b, const CompareSettings& settings) {
  Comparison result;
  result.name_a = a.name;
  result.name_b = b.name;
  result.metric = settings.metric;
  result.rule = settings.rule;
  result.noise_floor = std::max(a.noise_floor.value_or(0), b.noise_floor.value_or(0));
  result.threshold = std::max(settings.threshold, result.noise_floor);
  const auto rows_a = tried(a);
  const auto rows_b = tried(b);
  std::vector<double> ratios;
  for (const auto& [name, row_a] : rows_a) {
    const auto row_b = rows_b.find(name);
    if (row_b == rows_b.end()) {
      result.missing.push_back(name);
      continue;
    }
    result.samples.push_back(compare_rows(*row_a, *row_b->second, settings.metric));
    if (result.samples.back().ratio) ratios.push_back(*result.samples.back().ratio);
  }
  result.only_b = static_cast<int>(rows_b.size() - result.samples.size());
  // Two tails of 95 % for one sample; one share of them each for many.
  const double tail = (1 - kConfidence) / 2;
  const double widening =
      normal_quantile(tail / std::max(1.0, static_cast<double>(ratios.size()))) /
      normal_quantile(tail);
  for (ComparedSample& sample : result.samples) {
    if (sample.ratio) sample.change = change_of_times(sample, result.threshold, widening);
  }
  result.ratio = geometric_mean(ratios);
  result.detectable = detectable_drops(result, widening);
  return result;
}

}  // namespace graphnet::report
