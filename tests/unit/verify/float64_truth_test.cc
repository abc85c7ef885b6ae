// SPDX-License-Identifier: MIT
#include "verify/float64_truth.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/mentions.h"
#include "verify/compare.h"

namespace graphnet::verify {
namespace float64_truth_test {

using base::DType;
using tests::mentions;

constexpr float kInf = std::numeric_limits<float>::infinity();

Comparison compare(const std::vector<float>& eager, const std::vector<float>& plugin,
                   const std::vector<double>& truth) {
  const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(eager.size())};
  OutputContext context;
  context.float64 = truth.data();
  return compare_outputs({{DType::kFloat32, shape, eager.data()}},
                         {{DType::kFloat32, shape, plugin.data()}}, {context});
}

TEST(Float64Rule, AcceptsWhatIsCloserToTheTruthThanEager) {
  // Eager is 1 % off: a plugin that is right differs from it by more than the limit.
  const std::vector<double> truth = {1, -2, 3};
  const auto result = compare({1.01f, -2.02f, 3.03f}, {1, -2, 3}, truth);
  EXPECT_EQ(result.outcome, record::Outcome::kOk);
  EXPECT_FALSE(result.degenerate);
  const Float64Errors& errors = *result.outputs[0].float64_errors;
  EXPECT_TRUE(errors.closer_than_eager);
  EXPECT_EQ(result.outputs[0].acceptance, Acceptance::kNearFloat64);
  EXPECT_EQ(errors.ratio, 0);
  EXPECT_NEAR(errors.eager_rms, 0.01 * errors.truth_rms, 1e-6);
  EXPECT_GT(*result.outputs[0].relative_rms, 1e-3) << "by eager alone it fails";
}

TEST(Float64Rule, TheFactorIsThree) {
  const std::vector<double> truth = {1, -2, 3};
  const std::vector<float> eager = {1.01f, -2.02f, 3.03f};
  const auto within = compare(eager, {0.971f, -1.942f, 2.913f}, truth);
  EXPECT_EQ(within.outcome, record::Outcome::kOk);
  EXPECT_NEAR(within.outputs[0].float64_errors->ratio, 2.9, 1e-4);
  EXPECT_FALSE(within.outputs[0].float64_errors->closer_than_eager);
  const auto beyond = compare(eager, {0.969f, -1.938f, 2.907f}, truth);
  EXPECT_EQ(beyond.outcome, record::Outcome::kAccuracyMismatch);
  EXPECT_TRUE(
      mentions(beyond.message, {"output 1 of 1 (float32 [3])", "4.1e-2", "1e-3", "float64",
                                "3.1 times", "index [2]: 2.90700006 instead of 3.02999997"}));
}

TEST(Float64Rule, DoesNotExcuseMasks) {
  const auto result = compare({1.01f, -2.02f}, {1, kInf}, {1, -2});
  EXPECT_EQ(result.outcome, record::Outcome::kNonFinite);
}

TEST(Float64Rule, AcceptsNoZeros) {
  // Eager is mostly error here; a plugin that writes zeros is as near to the truth.
  const auto result = compare({1.5f, -1, 0.5f}, {0, 0, 0}, {1, -2, 1});
  EXPECT_EQ(result.outcome, record::Outcome::kAccuracyMismatch);
  EXPECT_LT(result.outputs[0].float64_errors->ratio, 3);
  EXPECT_TRUE(result.degenerate);
}

TEST(Float64Rule, DoesNotExistForFloat64AndIntegers) {
  const std::vector<double> eager = {1.01, 2.02};
  const std::vector<double> truth = {1, 2};
  OutputContext context;
  context.float64 = truth.data();
  const auto result = compare_outputs({{DType::kFloat64, {2}, eager.data()}},
                                      {{DType::kFloat64, {2}, truth.data()}}, {context});
  EXPECT_EQ(result.outcome, record::Outcome::kAccuracyMismatch);
  EXPECT_EQ(result.outputs[0].float64_errors, std::nullopt);
}

TEST(Float64Errors, SkipWhatIsNotFinite) {
  const float inf = kInf;
  const std::vector<float> eager = {1, inf, 2, 5};
  const std::vector<float> plugin = {2, inf, 2, 5};
  const std::vector<double> truth = {1, 1e300, std::nan(""), 6};
  const auto errors = errors_against_float64({}, eager.data(), plugin.data(), truth.data(), 4);
  EXPECT_DOUBLE_EQ(errors.plugin_rms, 1);
  EXPECT_DOUBLE_EQ(errors.eager_rms, std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(errors.ratio, std::sqrt(2.0));
  const auto nothing = errors_against_float64({}, nullptr, nullptr, nullptr, 0);
  EXPECT_FALSE(nothing.facts());
}

TEST(Float64Errors, RatioOfPerfectSides) {
  const std::vector<float> right = {1, 2};
  const std::vector<float> wrong = {1, 3};
  const std::vector<double> truth = {1, 2};
  const auto ratio = [&](const std::vector<float>& eager, const std::vector<float>& plugin) {
    return errors_against_float64({}, eager.data(), plugin.data(), truth.data(), 2).ratio;
  };
  EXPECT_EQ(ratio(right, right), 1);
  EXPECT_TRUE(std::isinf(ratio(right, wrong)));
  EXPECT_EQ(ratio(wrong, right), 0);
}

}  // namespace float64_truth_test
}  // namespace graphnet::verify
