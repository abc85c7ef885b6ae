// SPDX-License-Identifier: MIT
#include "verify/compare.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "support/mentions.h"

namespace graphnet::verify {
namespace compare_test {

using base::DType;
using tests::mentions;

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

template <typename T>
DType dtype_of();
template <>
DType dtype_of<float>() {
  return DType::kFloat32;
}
template <>
DType dtype_of<double>() {
  return DType::kFloat64;
}
template <>
DType dtype_of<std::int64_t>() {
  return DType::kInt64;
}

template <typename T>
TensorView view(const std::vector<T>& values) {
  return {dtype_of<T>(), {static_cast<std::int64_t>(values.size())}, values.data()};
}

template <typename T>
Comparison compare(const std::vector<T>& eager, const std::vector<T>& plugin) {
  return compare_outputs({view(eager)}, {view(plugin)});
}

bool all(const std::vector<bool>& flags) {
  return std::accumulate(flags.begin(), flags.end(), true, std::logical_and<>());
}

TEST(Compare, EqualOutputsAreOk) {
  const auto result = compare<float>({1, 2, 3}, {1, 2, 3});
  EXPECT_EQ(result.outcome, record::Outcome::kOk);
  EXPECT_EQ(result.message, "");
  EXPECT_FALSE(result.degenerate);
  const auto& output = result.outputs.at(0);
  EXPECT_TRUE(output.bit_equal && output.shape_equal && output.dtype_equal && output.masks_equal);
  EXPECT_EQ(output.all_close.size(), 64u);
  EXPECT_TRUE(all(output.all_close));
  EXPECT_EQ(output.max_diff, 0.0f);
  EXPECT_EQ(output.mean_diff, 0.0f);
  EXPECT_EQ(output.relative_rms, 0.0);
  EXPECT_EQ(output.first_bad_index, std::nullopt);
}

TEST(Compare, AccuracyMessageNamesTheWorstElement) {
  std::vector<float> eager(1000, 0.0f);
  for (std::size_t i = 0; i < eager.size(); ++i) eager[i] = static_cast<float>(i % 5) - 2;
  eager[17] = 0.25f;
  auto plugin = eager;
  plugin[17] = 1.25f;
  plugin[18] += 0.5f;
  const TensorView a = {DType::kFloat32, {1, 1000}, eager.data()};
  const TensorView b = {DType::kFloat32, {1, 1000}, plugin.data()};
  const auto result = compare_outputs({a, a}, {b, a});
  EXPECT_EQ(result.outcome, record::Outcome::kAccuracyMismatch);
  EXPECT_EQ(result.message,
            "output 1 of 2 (float32 [1, 1000]): relative RMS error 2.5e-2 exceeds 1e-3; largest at "
            "index [0, 17]: 1.25 instead of 0.25");
  EXPECT_EQ(result.outputs[0].first_bad_index, 17);
  EXPECT_EQ(result.outputs[0].max_diff, 1.0f);
  EXPECT_FLOAT_EQ(*result.outputs[0].mean_diff, 1.5e-3f);
}

TEST(Compare, ThresholdPerDtype) {
  const auto outcome = [](double relative) {
    return compare<double>({1, -2, 4}, {1 + relative, -2 - 2 * relative, 4 + 4 * relative}).outcome;
  };
  EXPECT_EQ(outcome(0.9e-6), record::Outcome::kOk);
  EXPECT_EQ(outcome(1.1e-6), record::Outcome::kAccuracyMismatch);
  EXPECT_EQ(compare<float>({1, -2, 4}, {1.0009f, -2.0018f, 4.0036f}).outcome, record::Outcome::kOk);
  EXPECT_EQ(compare<float>({1, -2, 4}, {1.0011f, -2.0022f, 4.0044f}).outcome,
            record::Outcome::kAccuracyMismatch);
}

TEST(Compare, ThresholdOfHalfTypes) {
  const auto outcome = [](DType dtype, float factor) {
    std::vector<std::uint16_t> eager;
    std::vector<std::uint16_t> plugin;
    const auto convert = dtype == DType::kFloat16 ? base::float_to_half : base::float_to_bfloat16;
    for (const float value : {1.0f, -3.0f, 7.0f}) {
      eager.push_back(convert(value));
      plugin.push_back(convert(value * factor));
    }
    return compare_outputs({{dtype, {3}, eager.data()}}, {{dtype, {3}, plugin.data()}}).outcome;
  };
  EXPECT_EQ(outcome(DType::kFloat16, 1.018f), record::Outcome::kOk);
  EXPECT_EQ(outcome(DType::kFloat16, 1.022f), record::Outcome::kAccuracyMismatch);
  EXPECT_EQ(outcome(DType::kBFloat16, 1.07f), record::Outcome::kOk);
  EXPECT_EQ(outcome(DType::kBFloat16, 1.10f), record::Outcome::kAccuracyMismatch);
}

TEST(Compare, AZeroWriterIsCaughtAlthoughLevelZeroAcceptsIt) {
  const auto result = compare<float>({0.5f, -1, 0.1f}, {0, 0, 0});
  EXPECT_EQ(result.outcome, record::Outcome::kAccuracyMismatch);
  EXPECT_DOUBLE_EQ(*result.outputs[0].relative_rms, 1.0);
  EXPECT_TRUE(result.outputs[0].all_close[40]) << "atol 1, rtol 1";
}

TEST(Compare, IntegersAndBoolsAreExact) {
  const auto wrong = compare<std::int64_t>({1, 2, 3}, {1, 2, 5});
  EXPECT_EQ(wrong.outcome, record::Outcome::kAccuracyMismatch);
  EXPECT_TRUE(mentions(
      wrong.message, {"output 1 of 1 (int64 [3])", "values differ", "index [2]: 5 instead of 3"}));
  EXPECT_EQ(wrong.outputs[0].relative_rms, std::nullopt);
  // One apart where neither float32 nor float64 can tell.
  const std::int64_t big = (std::int64_t{1} << 60) + 1;
  const auto close = compare<std::int64_t>({0, big}, {0, big + 1});
  EXPECT_EQ(close.outcome, record::Outcome::kAccuracyMismatch);
  EXPECT_EQ(close.outputs[0].first_bad_index, 1);
  EXPECT_TRUE(all(close.outputs[0].all_close)) << "as torch, which compares in float32";
  const std::uint8_t one = 1;
  const std::uint8_t two = 2;  // also true
  EXPECT_EQ(compare_outputs({{DType::kBool, {}, &one}}, {{DType::kBool, {}, &two}}).outcome,
            record::Outcome::kOk);
}

TEST(Compare, MasksMustAgree) {
  EXPECT_EQ(compare<float>({1, kNaN, kInf}, {1, kNaN, kInf}).outcome, record::Outcome::kOk);
  EXPECT_EQ(compare<float>({1, kNaN}, {1, 2}).outcome, record::Outcome::kNonFinite);
  EXPECT_EQ(compare<float>({1, kInf}, {1, -kInf}).outcome, record::Outcome::kNonFinite);
  EXPECT_EQ(compare<float>({1, kInf}, {1, kNaN}).outcome, record::Outcome::kNonFinite);
  EXPECT_TRUE(
      mentions(compare<float>({1, 2}, {1, kInf}).message,
               {"output 1 of 1 (float32 [2])", "NaN or infinity", "index [1]: inf instead of 2"}));
}

TEST(Compare, NaNAndInfAsUpstreamSeesThem) {
  const auto nan = compare<float>({1, kNaN}, {1, kNaN}).outputs[0];
  EXPECT_FALSE(nan.bit_equal);
  EXPECT_FALSE(nan.all_close[63]);
  EXPECT_TRUE(std::isnan(*nan.max_diff) && std::isnan(*nan.mean_diff));
  const auto inf = compare<float>({1, kInf}, {1, kInf}).outputs[0];
  EXPECT_TRUE(inf.bit_equal);
  EXPECT_TRUE(all(inf.all_close));
  EXPECT_TRUE(std::isnan(*inf.max_diff)) << "infinity minus infinity";
  EXPECT_DOUBLE_EQ(*inf.relative_rms, 0);
}

TEST(Compare, StructuralFailuresComeFirst) {
  const std::vector<float> three = {1, 2, 3};
  const std::vector<double> doubles = {1, 2, 3};
  const std::vector<float> wrong = {9, 9, 9};
  TensorView column = view(three);
  column.shape = {3, 1};
  EXPECT_EQ(compare_outputs({view(three)}, {}).outcome, record::Outcome::kCountMismatch);
  EXPECT_EQ(compare_outputs({view(three)}, {}).message, "0 outputs instead of 1");
  EXPECT_EQ(compare_outputs({view(three)}, {view(doubles)}).outcome,
            record::Outcome::kDtypeMismatch);
  const auto result = compare_outputs({view(three), view(three)}, {view(wrong), column});
  EXPECT_EQ(result.outcome, record::Outcome::kShapeMismatch);
  EXPECT_EQ(result.message, "output 2 of 2 (float32 [3]): shape [3, 1] instead of [3]");
  EXPECT_TRUE(result.outputs[1].all_close.empty()) << "no broadcasting";
  EXPECT_EQ(result.outputs[1].max_diff, std::nullopt);
}

TEST(Compare, EmptyOutputsAreEqualAndProveNothing) {
  const TensorView empty = {DType::kFloat32, {2, 0}, nullptr};
  const auto result = compare_outputs({empty}, {empty});
  EXPECT_EQ(result.outcome, record::Outcome::kOk);
  EXPECT_TRUE(result.degenerate);
  EXPECT_TRUE(all(result.outputs[0].all_close));
  EXPECT_EQ(result.outputs[0].max_diff, std::nullopt);
}

TEST(Compare, MissingDataFailsInsteadOfCrashing) {
  const std::vector<float> three = {1, 2, 3};
  const auto result = compare_outputs({view(three)}, {{DType::kFloat32, {3}, nullptr}});
  EXPECT_EQ(result.outcome, record::Outcome::kAccuracyMismatch);
  EXPECT_NE(result.message.find("no data"), std::string::npos);
}

TEST(Degenerate, ConstantZeroSubnormalAndNaNOutputs) {
  EXPECT_TRUE(compare<float>({2, 2, 2}, {2, 2, 2}).degenerate);
  EXPECT_TRUE(compare<float>({0, -0.0f, 0}, {0, 0, 0}).degenerate);
  EXPECT_TRUE(compare<float>({1e-39f, -1e-40f, 0}, {1e-39f, -1e-40f, 0}).degenerate);
  EXPECT_TRUE(compare<float>({kNaN, kNaN}, {kNaN, kNaN}).degenerate);
  EXPECT_TRUE(compare<float>({0}, {0}).degenerate);
  EXPECT_FALSE(compare<float>({3}, {3}).degenerate) << "a single number can be wrong";
  EXPECT_TRUE(compare<float>({kNaN, 1}, {kNaN, 1}).degenerate);
  const std::vector<float> good = {1, 2};
  const std::vector<float> zeros = {0, 0};
  EXPECT_FALSE(compare_outputs({view(good), view(zeros)}, {view(good), view(zeros)}).degenerate);
  std::vector<float> late(5000, 1.0f);
  late.back() = 2;
  EXPECT_FALSE(compare(late, late).degenerate);
}

TEST(RelativeRms, IsInfiniteIfOnlyEagerIsZero) {
  const auto result = compare<float>({0, 0}, {0, 1e-3f});
  EXPECT_TRUE(std::isinf(*result.outputs[0].relative_rms));
  EXPECT_EQ(result.outcome, record::Outcome::kAccuracyMismatch);
}

TEST(RelativeRms, SurvivesSquaresOutsideTheRangeOfDouble) {
  EXPECT_DOUBLE_EQ(*compare<double>({1e200, 2e200}, {1e200, 0}).outputs[0].relative_rms,
                   2 / std::sqrt(5.0));
  EXPECT_DOUBLE_EQ(*compare<double>({1e-300, 2e-300}, {1e-300, 0}).outputs[0].relative_rms,
                   2 / std::sqrt(5.0));
  EXPECT_NEAR(*compare<double>({1, 2}, {1, 2 + 4e-16}).outputs[0].relative_rms, 2e-16, 1e-16);
}

TEST(Compare, OneWrongElementInManyIsFound) {
  std::vector<float> eager(1'000'003);
  for (std::size_t i = 0; i < eager.size(); ++i) eager[i] = std::sin(static_cast<float>(i));
  auto plugin = eager;
  plugin[1'000'001] += 10;
  const auto result = compare(eager, plugin);
  EXPECT_EQ(result.outcome, record::Outcome::kAccuracyMismatch);
  EXPECT_EQ(result.outputs[0].first_bad_index, 1'000'001);
}

}  // namespace compare_test
}  // namespace graphnet::verify
