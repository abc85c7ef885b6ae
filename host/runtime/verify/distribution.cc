// SPDX-License-Identifier: MIT
#include "verify/distribution.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <vector>

#include "verify/scan.h"

namespace graphnet::verify {

namespace {

// One side: its finite elements in ascending order, and moments of them.
struct Sample {
  std::vector<double> sorted;
  std::int64_t total = 0;
  double mean = 0;
  double variance = 0;        // of one element, unbiased
  double variance_error = 0;  // squared standard error of `variance`

  std::int64_t finite() const { return static_cast<std::int64_t>(sorted.size()); }
  std::int64_t non_finite() const { return total - finite(); }
};

void fill_moments(Sample& sample) {
  const auto n = static_cast<double>(sample.finite());
  if (n == 0) return;
  double sum = 0;
  for (const double value : sample.sorted) sum += value / n;
  sample.mean = sum;
  double second = 0;
  double fourth = 0;
  for (const double value : sample.sorted) {
    const double square = (value - sample.mean) * (value - sample.mean);
    second += square / n;
    fourth += square * square / n;
  }
  if (n < 2) return;
  sample.variance = second * n / (n - 1);
  sample.variance_error = std::max(0.0, fourth - second * second) / n;
}

Sample sample_of(const TensorView& view) {
  Sample sample;
  sample.total = count_of(view);
  std::vector<double> values(static_cast<std::size_t>(sample.total));
  constexpr std::int64_t kBlock = 1 << 20;
  for (std::int64_t begin = 0; begin < sample.total; begin += kBlock) {
    const auto extent = static_cast<int>(std::min(kBlock, sample.total - begin));
    load_as_double(view.dtype, view.data, begin, extent, values.data() + begin);
  }
  values.erase(std::remove_if(values.begin(), values.end(),
                              [](double value) { return !std::isfinite(value); }),
               values.end());
  std::sort(values.begin(), values.end());
  sample.sorted = std::move(values);
  fill_moments(sample);
  return sample;
}

// Largest distance of the two empirical distribution functions; ties step on both sides at once.
double largest_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double largest = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    const double value = std::min(a[i], b[j]);
    while (i < a.size() && a[i] == value) ++i;
    while (j < b.size() && b[j] == value) ++j;
    const double distance = static_cast<double>(i) / static_cast<double>(a.size()) -
                            static_cast<double>(j) / static_cast<double>(b.size());
    largest = std::max(largest, std::abs(distance));
  }
  return largest;
}

// P(K > x) of Kolmogorov's distribution: 2 sum (-1)^(k-1) exp(-2 k^2 x^2).
double kolmogorov_tail(double x) {
  if (x < 0.2) return 1;  // 1 - 1e-12; the series converges slowly there
  double sum = 0;
  for (int k = 1; k <= 100; ++k) {
    const double term = std::exp(-2.0 * k * k * x * x);
    sum += k % 2 == 1 ? term : -term;
    if (term < 1e-17) break;
  }
  return std::clamp(2 * sum, 0.0, 1.0);
}

DistributionTest kolmogorov_smirnov(const Sample& a, const Sample& b) {
  DistributionTest test;
  if (a.finite() == 0 || b.finite() == 0) return test;
  test.statistic = largest_distance(a.sorted, b.sorted);
  const auto n = static_cast<double>(a.finite());
  const auto m = static_cast<double>(b.finite());
  const double root = std::sqrt(n * m / (n + m));
  test.p_value = kolmogorov_tail((root + 0.12 + 0.11 / root) * test.statistic);
  return test;
}

DistributionTest z_test(double difference, double squared_error) {
  DistributionTest test;
  if (difference == 0) return test;
  // Two constants that differ: infinitely many standard errors.
  test.statistic = squared_error > 0
                       ? difference / std::sqrt(squared_error)
                       : std::copysign(std::numeric_limits<double>::infinity(), difference);
  test.p_value = std::erfc(std::abs(test.statistic) / std::sqrt(2.0));
  return test;
}

// Fewer elements say nothing of their own spread.
constexpr std::int64_t kFewestForMoments = 100;

DistributionTest mean_test(const Sample& a, const Sample& b) {
  if (std::min(a.finite(), b.finite()) < kFewestForMoments) return {};
  const double squared_error =
      a.variance / static_cast<double>(a.finite()) + b.variance / static_cast<double>(b.finite());
  return z_test(b.mean - a.mean, squared_error);
}

DistributionTest variance_test(const Sample& a, const Sample& b) {
  if (std::min(a.finite(), b.finite()) < kFewestForMoments) return {};
  return z_test(b.variance - a.variance, a.variance_error + b.variance_error);
}

DistributionTest non_finite_test(const Sample& a, const Sample& b) {
  if (a.total == 0 || b.total == 0) return {};
  const auto n = static_cast<double>(a.total);
  const auto m = static_cast<double>(b.total);
  const double share = static_cast<double>(a.non_finite() + b.non_finite()) / (n + m);
  const double difference =
      static_cast<double>(b.non_finite()) / m - static_cast<double>(a.non_finite()) / n;
  return z_test(difference, share * (1 - share) * (1 / n + 1 / m));
}

std::string failure_text(const char* name, const DistributionTest& test) {
  char text[96];
  std::snprintf(text, sizeof text, "%s differs: statistic %.3g, p-value %.1e", name, test.statistic,
                test.p_value);
  return text;
}

void judge(const char* name, const DistributionTest& test, DistributionComparison& comparison) {
  if (!comparison.same || test.p_value >= kSmallestPValue) return;
  comparison.same = false;
  comparison.message = failure_text(name, test);
}

// Calls visit(a, b, c) for the elements that are finite in all three.
template <typename Visit>
void for_each_finite(const TensorView& a, const TensorView& b, const TensorView& c, Visit visit) {
  constexpr int kBlock = 1024;
  double values[3][kBlock];
  const std::int64_t count = count_of(a);
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const int extent = static_cast<int>(std::min<std::int64_t>(kBlock, count - begin));
    load_as_double(a.dtype, a.data, begin, extent, values[0]);
    load_as_double(b.dtype, b.data, begin, extent, values[1]);
    load_as_double(c.dtype, c.data, begin, extent, values[2]);
    for (int i = 0; i < extent; ++i) {
      const bool is_finite =
          std::isfinite(values[0][i]) && std::isfinite(values[1][i]) && std::isfinite(values[2][i]);
      if (is_finite) visit(values[0][i], values[1][i], values[2][i]);
    }
  }
}

bool are_equal(const TensorView& a, const TensorView& b) {
  return scan_elements(a.dtype, a.data, b.data, count_of(a)).differing == 0;
}

// Both comparisons of draws that should be alike; returns why they are not.
std::string compare_draws(const TensorView& first, const TensorView& second,
                          const TensorView& other, RandomJudgement& judgement) {
  judgement.comparison = compare_distributions(first, other);
  judgement.common_part = compare_common_part(first, second, other);
  if (!judgement.comparison.same) return judgement.comparison.message;
  if (judgement.common_part.p_value >= kSmallestPValue) return "";
  return failure_text("what all draws have in common", judgement.common_part);
}

}  // namespace

DistributionComparison compare_distributions(const TensorView& eager, const TensorView& plugin) {
  const Sample a = sample_of(eager);
  const Sample b = sample_of(plugin);
  DistributionComparison comparison;
  comparison.eager_count = a.finite();
  comparison.plugin_count = b.finite();
  comparison.non_finite = non_finite_test(a, b);
  comparison.kolmogorov_smirnov = kolmogorov_smirnov(a, b);
  comparison.mean = mean_test(a, b);
  comparison.variance = variance_test(a, b);
  judge("the share of NaN and infinity", comparison.non_finite, comparison);
  judge("the distribution", comparison.kolmogorov_smirnov, comparison);
  judge("the mean", comparison.mean, comparison);
  judge("the variance", comparison.variance, comparison);
  return comparison;
}

DistributionTest compare_common_part(const TensorView& first, const TensorView& second,
                                     const TensorView& other) {
  double sum = 0;
  std::int64_t count = 0;
  for_each_finite(first, second, other, [&](double a, double, double) {
    sum += a;
    ++count;
  });
  DistributionTest test;
  if (count < kFewestForMoments) return test;
  const double mean = sum / static_cast<double>(count);
  double difference = 0;
  double squares = 0;
  for_each_finite(first, second, other, [&](double a, double b, double c) {
    const double term = (a - mean) * (b - c);
    difference += term;
    squares += term * term;
  });
  if (squares == 0) return test;
  test.statistic = difference / std::sqrt(squares);
  test.p_value = 0.5 * std::erfc(test.statistic / std::sqrt(2.0));
  return test;
}

RandomJudgement judge_random_output(const std::array<TensorView, 3>& draws,
                                    const TensorView& plugin) {
  RandomJudgement judgement;
  if (are_equal(draws[0], draws[1])) {
    judgement.verdict = RandomVerdict::kNotRandom;
    judgement.message = "eager's draws do not differ";
    return judgement;
  }
  judgement.message = compare_draws(draws[0], draws[2], draws[1], judgement);
  if (!judgement.message.empty()) {
    judgement.verdict = RandomVerdict::kUnusable;
    return judgement;
  }
  judgement.message = compare_draws(draws[0], draws[1], plugin, judgement);
  if (!judgement.message.empty()) judgement.verdict = RandomVerdict::kDifferent;
  return judgement;
}

}  // namespace graphnet::verify
