// SPDX-License-Identifier: MIT
#include "score/formulas.h"

#include <algorithm>
#include <cmath>

namespace graphnet::score {

namespace {

/// From here on ES(t) knows the correctness and speedups of this level only.
constexpr int kFrozenLevel = 1;

std::size_t index_of(Failure failure) {
  return static_cast<std::size_t>(failure);
}

/// The failure of a row at level t; kNone if it is correct there.
Failure failure_at(const Row& row, int t) {
  if (row.failure != Failure::kNone) return row.failure;
  return row.correct[level_index(t)] ? Failure::kNone : Failure::kAccuracy;
}

/// Logarithms of single rows have more digits than a double, so that a mean of them is right to its
/// last digit: exp(log(0.1)) is not 0.1 in doubles.
long double log_rectified(double speedup, double penalty) {
  return std::log(static_cast<long double>(speedup)) * (speedup < 1 ? penalty + 1 : 1);
}

long double log_of_base(const Settings& settings) {
  return std::log(static_cast<long double>(settings.fail_base));
}

double exp_of_mean(long double sum, std::size_t count) {
  return static_cast<double>(std::exp(sum / static_cast<long double>(count)));
}

bool is_forgiven(Failure failure, int t, const Settings& settings, bool in_aggregate) {
  const auto from =
      forgiven_from(settings.interpretation, failure, in_aggregate && settings.compat);
  return from && t >= *from;
}

/// What an error contributes to ES(t) on average: b to the power of the share not forgiven.
double gamma_at(int t, const MacroParameters& frozen, const Settings& settings) {
  if (t < kFrozenLevel) return settings.fail_base;
  double share = 0;
  for (std::size_t i = 0; i < kNumFailures; ++i) {
    if (!is_forgiven(static_cast<Failure>(i), t, settings, true)) share += frozen.pi[i];
  }
  return std::pow(settings.fail_base, share);
}

/// The formula of both aggregated forms; `base` is what an error contributes.
double aggregated(const MacroParameters& macro, double base, double penalty) {
  return std::pow(macro.alpha, macro.lambda) *
         std::pow(macro.beta, macro.lambda * macro.eta * penalty) *
         std::pow(base, 1 - macro.lambda);
}

}  // namespace

long double log_s(const Row& row, int t, const Settings& settings) {
  return failure_at(row, t) == Failure::kNone ? log_rectified(*row.speedup, settings.penalty)
                                              : log_of_base(settings);
}

long double log_es(const Row& row, int t, const Settings& settings) {
  if (t < kFrozenLevel) return log_s(row, t, settings);
  const bool is_forgiven_at_t = is_forgiven(failure_at(row, kFrozenLevel), t, settings, false);
  return is_forgiven_at_t ? 0 : log_s(row, kFrozenLevel, settings);
}

double geometric_mean(const std::vector<double>& values) {
  if (values.empty()) return 1;
  long double sum = 0;
  for (const double value : values) sum += std::log(static_cast<long double>(value));
  return exp_of_mean(sum, values.size());
}

MacroParameters macro_parameters(const std::vector<Row>& rows, int t, const Settings& settings) {
  MacroParameters macro;
  std::vector<double> all;
  std::vector<double> slow;
  std::array<int, kNumFailures> errors = {};
  for (const Row& row : rows) {
    const Failure failure = failure_at(row, t);
    if (failure != Failure::kNone) {
      ++errors[index_of(failure)];
      continue;
    }
    all.push_back(*row.speedup);
    if (*row.speedup < 1) slow.push_back(all.back());
  }
  macro.samples = static_cast<int>(rows.size());
  macro.correct = static_cast<int>(all.size());
  macro.slowdowns = static_cast<int>(slow.size());
  macro.alpha = geometric_mean(all);
  macro.beta = geometric_mean(slow);
  if (macro.samples > 0) macro.lambda = static_cast<double>(macro.correct) / macro.samples;
  if (macro.correct > 0) macro.eta = static_cast<double>(macro.slowdowns) / macro.correct;
  const int num_errors = macro.samples - macro.correct;
  for (std::size_t i = 0; i < kNumFailures && num_errors > 0; ++i) {
    macro.pi[i] = static_cast<double>(errors[i]) / num_errors;
  }
  macro.gamma = gamma_at(t, macro, settings);
  return macro;
}

double aggregated_s(const MacroParameters& macro, const Settings& settings) {
  return aggregated(macro, settings.fail_base, settings.penalty);
}

double aggregated_es(const MacroParameters& frozen, const Settings& settings) {
  return aggregated(frozen, frozen.gamma, settings.penalty);
}

std::vector<Point> points_of(const std::vector<Row>& rows, const Settings& settings) {
  std::vector<Point> points;
  if (rows.empty()) return points;
  MacroParameters frozen;
  for (int t = kFirstLevel; t <= last_level(settings.interpretation); ++t) {
    long double sum_s = 0;
    long double sum_es = 0;
    for (const Row& row : rows) {
      sum_s += log_s(row, t, settings);
      sum_es += log_es(row, t, settings);
    }
    Point point;
    point.t = t;
    point.s = exp_of_mean(sum_s, rows.size());
    point.es = exp_of_mean(sum_es, rows.size());
    point.macro = macro_parameters(rows, t, settings);
    if (t <= kFrozenLevel) frozen = point.macro;
    frozen.gamma = gamma_at(t, frozen, settings);
    point.s_aggregated = aggregated_s(point.macro, settings);
    point.es_aggregated = aggregated_es(frozen, settings);
    point.macro.pi = frozen.pi;
    point.macro.gamma = frozen.gamma;
    points.push_back(point);
  }
  return points;
}

double weighted_aggregate(const std::vector<Point>& points, const std::map<int, double>& weights) {
  double sum = 0;
  double sum_of_weights = 0;
  for (const Point& point : points) {
    const auto weight = weights.find(point.t);
    if (weight == weights.end()) continue;
    sum += weight->second * std::log10(point.es);
    sum_of_weights += weight->second;
  }
  return sum_of_weights > 0 ? sum / sum_of_weights : 0;
}

}  // namespace graphnet::score
