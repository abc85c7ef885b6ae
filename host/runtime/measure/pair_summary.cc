// SPDX-License-Identifier: MIT
#include "measure/pair_summary.h"

#include <algorithm>
#include <cmath>

#include "measure/bootstrap.h"

namespace graphnet::measure {

namespace {

// A median of fewer is that of one.
constexpr std::size_t kFewestOfMedian = 5;

// The median of fewer ratios is close to 1 by chance, however far each of them is from it.
constexpr std::size_t kEnoughControls = 8;
// One interval of 95 % in twenty misses the ratio; that many wrong words are too many.
constexpr double kSure = 0.99;

double log_ratio(const Pair& pair) {
  return std::log(pair.own_ns(kEager) / pair.own_ns(kBackend));
}

/// Median of the means of all pairs of values, each with itself included.
double hodges_lehmann(const std::vector<double>& values) {
  std::vector<double> means;
  means.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = i; j < values.size(); ++j) means.push_back((values[i] + values[j]) / 2);
  }
  return median(std::move(means));
}

/// Half the difference between the pairs that eager began and those that the backend began.
double first_mover_bias(const std::vector<Pair>& pairs, const std::vector<double>& log_ratios) {
  std::vector<double> eager_first;
  std::vector<double> backend_first;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    (pairs[i].backend_first ? backend_first : eager_first).push_back(log_ratios[i]);
  }
  if (eager_first.empty() || backend_first.empty()) return 0;
  return (median(std::move(eager_first)) - median(std::move(backend_first))) / 2;
}

/// Durations of one side and what is made of them alone.
void summarise_side(const std::vector<Pair>& pairs, Side side, PairedSummary& summary,
                    PerSide<double>& minima) {
  std::vector<double> own;
  own.reserve(pairs.size());
  minima[side] = pairs.front().call_ns[side];
  for (const Pair& pair : pairs) {
    own.push_back(pair.own_ns(side));
    minima[side] = std::min(minima[side], pair.call_ns[side]);
  }
  summary.median_ns[side] = median(std::move(own));
}

double ratio_or_zero(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

void summarise_waits(const std::vector<Pair>& pairs, const PairedSettings& settings,
                     PairedSummary& summary) {
  PerSide<double> waited_ns = {};
  PerSide<double> wall_ns = {};
  for (const Side side : {kEager, kBackend}) {
    for (const Pair& pair : pairs) {
      waited_ns[side] += pair.waited_ns[side];
      wall_ns[side] += pair.call_ns[side];
    }
    summary.removed_share[side] = ratio_or_zero(waited_ns[side], wall_ns[side]);
    if (summary.removed_share[side] > settings.max_waited) summary.waits_exceeded = true;
  }
  summary.waited_share =
      ratio_or_zero(waited_ns[kEager] + waited_ns[kBackend], wall_ns[kEager] + wall_ns[kBackend]);
}

/// Which of `pairs` are used: those undisturbed, or all if too few are. Three pairs that are left
/// of five have the same sign by chance in a quarter of all cases, and no interval tells that.
std::vector<Pair> choose_pairs(const std::vector<Pair>& pairs, const PairedSettings& settings,
                               PairedSummary& summary) {
  std::vector<Pair> kept;
  kept.reserve(pairs.size());
  for (const Pair& pair : pairs) {
    if (!pair.is_disturbed()) kept.push_back(pair);
  }
  const std::size_t dropped = pairs.size() - kept.size();
  const bool is_too_few =
      dropped > 0 && kept.size() < static_cast<std::size_t>(settings.fewest_pairs);
  summary.drops_exceeded =
      is_too_few ||
      static_cast<double>(dropped) > settings.max_dropped * static_cast<double>(pairs.size());
  if (summary.drops_exceeded) kept = pairs;
  summary.kept = static_cast<int>(kept.size());
  summary.dropped = static_cast<int>(pairs.size() - kept.size());
  return kept;
}

}  // namespace

PairedSummary summarise_pairs(const std::vector<Pair>& pairs, const PairedSettings& settings,
                              double confidence) {
  PairedSummary summary;
  summary.confidence = confidence;
  const std::vector<Pair> kept = choose_pairs(pairs, settings, summary);
  if (kept.empty()) return summary;
  std::vector<double> log_ratios;
  log_ratios.reserve(kept.size());
  for (const Pair& pair : kept) log_ratios.push_back(log_ratio(pair));
  const std::uint64_t seed = settings.seed + kept.size();
  const MedianInterval interval = bootstrap_median(log_ratios, confidence, seed);
  const MedianInterval sure =
      confidence < kSure ? bootstrap_median(log_ratios, kSure, seed) : interval;
  summary.ratio = std::exp(median(log_ratios));
  summary.low = std::exp(interval.low);
  summary.high = std::exp(interval.high);
  summary.sure_low = std::exp(sure.low);
  summary.sure_high = std::exp(sure.high);
  summary.block_length = interval.block_length;
  summary.hodges_lehmann = std::exp(hodges_lehmann(log_ratios));
  summary.first_mover_bias = first_mover_bias(kept, log_ratios);
  summarise_waits(kept, settings, summary);
  PerSide<double> minima = {};
  for (const Side side : {kEager, kBackend}) summarise_side(kept, side, summary, minima);
  summary.ratio_of_minima = minima[kEager] / minima[kBackend];
  summary.ratio_of_medians = summary.median_ns[kEager] / summary.median_ns[kBackend];
  return summary;
}

double half_width(const PairedSummary& summary) {
  return (std::log(summary.high) - std::log(summary.low)) / 2;
}

bool is_equivalent(const PairedSummary& summary, double margin) {
  return summary.low >= 1 - margin && summary.high <= 1 + margin;
}

std::optional<double> noise_floor_of(const std::vector<Pair>& controls) {
  std::vector<double> log_ratios;
  for (const bool disturbed : {false, true}) {
    if (!log_ratios.empty()) break;  // disturbed ones tell more than none
    for (const Pair& control : controls) {
      if (control.is_disturbed() == disturbed) log_ratios.push_back(log_ratio(control));
    }
  }
  if (log_ratios.empty()) return std::nullopt;
  if (log_ratios.size() >= kEnoughControls) {
    return std::expm1(std::fabs(median(std::move(log_ratios))));
  }
  for (double& each : log_ratios) each = std::fabs(each);
  return std::expm1(median(std::move(log_ratios)));
}

Decision decide(const PairedSummary& summary, const PairedSettings& settings, double noise_floor) {
  if (summary.waits_exceeded) return {Verdict::kUnstable, 0, Unstable::kWaits};
  if (!summary.has_interval()) return {Verdict::kUnstable, 0, Unstable::kDrops};
  if (is_equivalent(summary, settings.margin)) return {Verdict::kSame, settings.margin};
  if (summary.sure_low > 1 + noise_floor) return {Verdict::kFaster};
  if (summary.sure_high < 1 / (1 + noise_floor)) return {Verdict::kSlower};
  const double distance = std::max(std::fabs(1 - summary.low), std::fabs(summary.high - 1));
  if (distance <= settings.max_width) return {Verdict::kSame, distance};
  return {Verdict::kUnstable, 0, Unstable::kWidth};
}

double larger_median(const std::vector<Pair>& pairs,
                     const std::function<double(const Pair&)>& value) {
  std::vector<double> all;
  std::vector<double> undisturbed;
  for (const Pair& pair : pairs) {
    all.push_back(value(pair));
    if (!pair.is_disturbed()) undisturbed.push_back(all.back());
  }
  if (all.empty()) return 0;
  const double of_all = median(std::move(all));
  if (undisturbed.size() < kFewestOfMedian) return of_all;
  return std::max(of_all, median(std::move(undisturbed)));
}

std::vector<double> counted_ns(const PairedResult& result, Side side) {
  std::vector<double> counted;
  for (const Pair& pair : result.pairs) {
    if (result.summary.drops_exceeded || !pair.is_disturbed()) counted.push_back(pair.own_ns(side));
  }
  return counted;
}

}  // namespace graphnet::measure
