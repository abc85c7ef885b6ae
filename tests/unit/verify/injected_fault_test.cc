// SPDX-License-Identifier: MIT
// What a broken or dishonest plugin may hand back, in outputs of realistic size.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "verify/compare.h"

namespace graphnet::verify {
namespace injected_fault_test {

using base::DType;

std::vector<float> gaussians(std::size_t size, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> values(size);
  for (float& value : values) value = normal(random);
  return values;
}

std::vector<float> with_noise(std::vector<float> values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] *= i % 2 == 0 ? 1 + 3e-7f : 1 - 3e-7f;
  }
  return values;
}

TensorView view(const std::vector<float>& values) {
  return {DType::kFloat32, {static_cast<std::int64_t>(values.size())}, values.data()};
}

TEST(InjectedFault, OneWrongElementInAMillion) {
  const auto eager = gaussians(1'000'000, 1);
  const auto honest = with_noise(eager);
  EXPECT_EQ(compare_outputs({view(eager)}, {view(honest)}).outcome, record::Outcome::kOk);
  for (const std::size_t at : {std::size_t{0}, std::size_t{777'777}, std::size_t{999'999}}) {
    auto plugin = honest;
    plugin[at] += 10;  // 1 % of the norm of the output
    const auto result = compare_outputs({view(eager)}, {view(plugin)});
    EXPECT_EQ(result.outcome, record::Outcome::kAccuracyMismatch);
    EXPECT_EQ(result.outputs[0].first_bad_index, static_cast<std::int64_t>(at));
    EXPECT_EQ(result.outputs[0].statistics->worst[0].index, static_cast<std::int64_t>(at));
  }
}

// Too small for the norm of the whole, but not for an element.
TEST(InjectedFault, ASmallWrongElementIsFound) {
  const auto eager = gaussians(1'000'000, 1);
  auto plugin = with_noise(eager);
  plugin[123'456] += 0.1f;
  const auto result = compare_outputs({view(eager)}, {view(plugin)});
  EXPECT_LT(*result.outputs[0].relative_rms, 1e-3);
  EXPECT_EQ(result.outcome, record::Outcome::kAccuracyMismatch);
  EXPECT_EQ(result.outputs[0].first_bad_index, 123'456);
  const Statistics& statistics = *result.outputs[0].statistics;
  EXPECT_EQ(statistics.worst[0].index, 123'456);
  EXPECT_NEAR(*statistics.max_error, 0.1, 1e-5);
  EXPECT_LT(statistics.worst[1].error, 1e-5);
}

TEST(InjectedFault, OneNaNOrInfinityInAMillion) {
  const auto eager = gaussians(1'000'000, 2);
  for (const float value :
       {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
    auto plugin = with_noise(eager);
    plugin[500'001] = value;
    const auto result = compare_outputs({view(eager)}, {view(plugin)});
    EXPECT_EQ(result.outcome, record::Outcome::kNonFinite);
    EXPECT_EQ(result.outputs[0].first_bad_index, 500'001);
    EXPECT_EQ(result.outputs[0].statistics->mask_mismatches, 1);
  }
}

TEST(InjectedFault, ANaNOfEagerThatThePluginLost) {
  auto eager = gaussians(5000, 3);
  const auto plugin = eager;
  eager[4999] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(compare_outputs({view(eager)}, {view(plugin)}).outcome, record::Outcome::kNonFinite);
}

TEST(InjectedFault, SwappedOutputs) {
  const auto a = gaussians(4096, 4);
  const auto b = gaussians(4096, 5);
  const auto result = compare_outputs({view(a), view(b)}, {view(b), view(a)});
  EXPECT_EQ(result.outcome, record::Outcome::kAccuracyMismatch);
  EXPECT_FALSE(result.outputs[0].within_tolerance() || result.outputs[1].within_tolerance());
}

TEST(InjectedFault, StaleOutputOfAnEarlierInput) {
  const auto fresh = gaussians(4096, 6);
  const auto stale = gaussians(4096, 7);  // right for other inputs
  const auto result = compare_outputs({view(fresh)}, {view(stale)});
  EXPECT_EQ(result.outcome, record::Outcome::kAccuracyMismatch);
  EXPECT_LT(std::abs(*result.outputs[0].statistics->cosine), 0.1);
}

TEST(InjectedFault, WrongDtypeComesBeforeWrongShape) {
  const auto eager = gaussians(64, 8);
  const std::vector<double> doubles(eager.begin(), eager.end());
  const auto result = compare_outputs({view(eager)}, {{DType::kFloat64, {8, 8}, doubles.data()}});
  EXPECT_EQ(result.outcome, record::Outcome::kDtypeMismatch);
  EXPECT_EQ(result.message, "output 1 of 1 (float32 [64]): dtype float64 instead of float32");
  EXPECT_EQ(result.outputs[0].statistics, std::nullopt);
}

TEST(InjectedFault, AShiftByOneRow) {
  const auto eager = gaussians(64 * 64, 9);
  std::vector<float> shifted(eager.begin() + 64, eager.end());
  shifted.insert(shifted.end(), eager.begin(), eager.begin() + 64);
  EXPECT_EQ(compare_outputs({view(eager)}, {view(shifted)}).outcome,
            record::Outcome::kAccuracyMismatch);
}

TEST(InjectedFault, ScaledByTwoPassesTheLooseLevelsOnly) {
  const auto eager = gaussians(4096, 10);
  auto doubled = eager;
  for (float& value : doubled) value *= 2;
  const auto result = compare_outputs({view(eager)}, {view(doubled)});
  EXPECT_EQ(result.outcome, record::Outcome::kAccuracyMismatch);
  EXPECT_NEAR(*result.outputs[0].statistics->cosine, 1, 1e-12) << "which cosine does not see";
  EXPECT_TRUE(result.outputs[0].all_close[40]) << "atol 1, rtol 1";
}

}  // namespace injected_fault_test
}  // namespace graphnet::verify
