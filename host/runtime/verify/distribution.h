// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "verify/tensor_view.h"

namespace graphnet::verify {

/// A test statistic and how likely one at least as extreme is if both sides draw from one
/// distribution.
struct DistributionTest {
  double statistic = 0;
  double p_value = 1;
};

/// Two outputs of random programs as samples of one distribution.
struct DistributionComparison {
  std::int64_t eager_count = 0;  ///< finite elements
  std::int64_t plugin_count = 0;
  DistributionTest kolmogorov_smirnov;  ///< largest distance of the distribution functions
  DistributionTest mean;                ///< z of the difference of means
  DistributionTest variance;            ///< z of the difference of variances
  DistributionTest non_finite;          ///< z of the difference of the shares of NaN and infinity
  /// No p-value is below kSmallestPValue.
  bool same = true;
  std::string message;  ///< the first test that failed, without a full stop; empty if same
};

/// Five tests, together a false alarm in 1e-6 of the comparisons of equal distributions.
inline constexpr double kSmallestPValue = 2e-7;

/// Compares the elements of two outputs as draws from one distribution, whatever their order.
///
/// The elements of one output must be independent of each other; they need not have one
/// distribution if both sides have the same shape (a mixture makes the tests milder, not stricter).
/// If they depend on each other (one draw broadcast to many elements), the p-values mean nothing;
/// judge_random_output() detects that. Sums of squares are float64. Ties and small samples make
/// Kolmogorov-Smirnov milder; below about 20 elements no test can fail. Memory: both sides as
/// float64. Integers and bools count as numbers, complex numbers by their moduli.
///
/// source   Kolmogorov-Smirnov: asymptotic distribution with Stephens' correction for small
///          samples; standard error of a variance from the fourth central moment
DistributionComparison compare_distributions(const TensorView& eager, const TensorView& plugin);

/// Whether `other` has as much in common with `first`, element by element, as `second` has, all
/// three draws of one program: what is not random in them (the values that a dropout leaves) stands
/// at the same elements. One-sided; having more in common passes. Fewer than 100 elements never
/// fail.
///
/// source   z of the sum of (first - mean(first)) * (second - other), each element with either sign
///          if second and other are draws alike
DistributionTest compare_common_part(const TensorView& first, const TensorView& second,
                                     const TensorView& other);

/// What became of a random output.
enum class RandomVerdict : std::uint8_t {
  kSame,
  kDifferent,
  kNotRandom,  ///< eager's own draws do not differ: it is judged as any other
  kUnusable,   ///< eager's own draws differ by these tests: the elements are not independent
};

struct RandomJudgement {
  RandomVerdict verdict = RandomVerdict::kSame;
  DistributionComparison comparison;  ///< of the plugin with eager; of eagers if kUnusable
  DistributionTest common_part;       ///< as compare_common_part(); of eagers if kUnusable
  std::string message;                ///< why not kSame, without a full stop; else empty
};

/// draws: eager's outputs of three runs with different generator states, the first of which is that
/// which the plugin is compared with.
RandomJudgement judge_random_output(const std::array<TensorView, 3>& draws,
                                    const TensorView& plugin);

}  // namespace graphnet::verify
