// SPDX-License-Identifier: MIT
#include "worker/weight_values.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <numeric>
#include <utility>
#include <vector>

namespace graphnet::worker {
namespace weight_values_test {

using base::DType;
using graph::ParameterKind;
using graph::WeightRole;
using graph::WeightUse;

sample::Argument weight(const std::vector<float>& values,
                        ParameterKind kind = ParameterKind::kParameter) {
  sample::Argument made;
  made.kind = kind;
  made.shape = {static_cast<std::int64_t>(values.size())};
  made.bytes = base::AlignedBuffer::allocate(values.size() * sizeof(float));
  std::memcpy(made.bytes.data(), values.data(), made.bytes.num_bytes());
  return made;
}

std::vector<float> values_of(const sample::Argument& argument) {
  std::vector<float> values(argument.bytes.num_bytes() / sizeof(float));
  std::memcpy(values.data(), argument.bytes.data(), argument.bytes.num_bytes());
  return values;
}

struct Moments {
  double mean = 0;
  double deviation = 0;
};

Moments moments_of(const std::vector<float>& values) {
  const auto count = static_cast<double>(values.size());
  Moments moments;
  moments.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  for (const float value : values) moments.deviation += std::pow(value - moments.mean, 2);
  moments.deviation = std::sqrt(moments.deviation / count);
  return moments;
}

Moments filled(WeightUse use) {
  sample::Argument argument = weight(std::vector<float>(100000, 7));
  fill_weight(use, 1, 0, argument);
  return moments_of(values_of(argument));
}

TEST(FillWeight, DrawsWhatTheRoleAsksFor) {
  EXPECT_NEAR(filled({WeightRole::kMatrix, 400}).mean, 0, 1e-3);
  EXPECT_NEAR(filled({WeightRole::kMatrix, 400}).deviation, 0.05, 5e-4);
  EXPECT_NEAR(filled({WeightRole::kTable}).deviation, 1, 1e-2);
  EXPECT_NEAR(filled({WeightRole::kScale}).mean, 1, 2e-3);
  EXPECT_NEAR(filled({WeightRole::kScale}).deviation, 0.1, 1e-3);
  EXPECT_NEAR(filled({WeightRole::kBias}).deviation, 0.1, 1e-3);
  EXPECT_EQ(filled({WeightRole::kMean}).mean, 0);
  EXPECT_EQ(filled({WeightRole::kVariance}).mean, 1);
}

TEST(FillWeight, IsTheSameForTheSameSeedAndIndexOnly) {
  const auto drawn = [](std::uint64_t seed, std::size_t index) {
    sample::Argument argument = weight(std::vector<float>(8));
    fill_weight({WeightRole::kTable}, seed, index, argument);
    return values_of(argument);
  };
  EXPECT_EQ(drawn(1, 2), drawn(1, 2));
  EXPECT_NE(drawn(1, 2), drawn(1, 3));
  EXPECT_NE(drawn(1, 2), drawn(2, 2));
}

TEST(FillWeight, RoundsToTheType) {
  sample::Argument argument;
  argument.dtype = DType::kFloat16;
  argument.shape = {1000};
  argument.bytes = base::AlignedBuffer::allocate(2000);
  fill_weight({WeightRole::kTable}, 1, 0, argument);
  std::vector<std::uint16_t> bits(1000);
  std::memcpy(bits.data(), argument.bytes.data(), 2000);
  std::vector<float> values;
  for (const std::uint16_t half : bits) values.push_back(base::half_to_float(half));
  EXPECT_NEAR(moments_of(values).deviation, 1, 0.1);
}

/// The role that one weight keeps.
WeightRole kept(const sample::Argument& argument, WeightRole role, bool is_pinned = false) {
  std::vector<sample::Argument> arguments;
  arguments.push_back(weight(values_of(argument), argument.kind));
  arguments.back().dtype = argument.dtype;
  return changeable_weights(arguments, {{role}}, {is_pinned})[0].role;
}

TEST(ChangeableWeights, AreParametersOfAKnownRole) {
  EXPECT_EQ(kept(weight({1, 1}), WeightRole::kScale), WeightRole::kScale);
  EXPECT_EQ(kept(weight({1, 2}), WeightRole::kUnknown), WeightRole::kUnknown);
  EXPECT_EQ(kept(weight({1, 2}), WeightRole::kMatrix, /*is_pinned=*/true), WeightRole::kUnknown);
  EXPECT_EQ(kept(weight({1, 2}, ParameterKind::kTensor), WeightRole::kMatrix),
            WeightRole::kUnknown);
  sample::Argument integers = weight({1, 2});
  integers.dtype = DType::kInt32;
  EXPECT_EQ(kept(integers, WeightRole::kTable), WeightRole::kUnknown);
}

TEST(ChangeableWeights, OfBuffersAreStatisticsAndKernels) {
  const auto buffer = [](const std::vector<float>& values) {
    return weight(values, ParameterKind::kBuffer);
  };
  EXPECT_EQ(kept(buffer({0, 0}), WeightRole::kMean), WeightRole::kMean);
  EXPECT_EQ(kept(buffer({1, 2}), WeightRole::kMatrix), WeightRole::kMatrix);
  EXPECT_EQ(kept(buffer({1, 0, 1}), WeightRole::kMatrix), WeightRole::kUnknown);
  EXPECT_EQ(kept(buffer({3, 3, 3}), WeightRole::kMatrix), WeightRole::kUnknown);
  EXPECT_EQ(kept(buffer({1, 2}), WeightRole::kTable), WeightRole::kUnknown);
}

TEST(SavedContent, ComesBackAndLeavesTheRest) {
  std::vector<sample::Argument> arguments;
  arguments.push_back(weight({1, 2}));
  arguments.push_back(weight({3, 4}));
  const std::vector<WeightUse> uses = {{}, {WeightRole::kTable}};
  EXPECT_EQ(changeable_bytes(arguments, uses), 8);
  const auto saved = SavedContent::save(arguments, uses);
  ASSERT_TRUE(saved.is_ok());
  const float other = 9;
  for (auto& argument : arguments) std::memcpy(argument.bytes.data(), &other, sizeof(other));
  saved->restore(arguments);
  EXPECT_EQ(values_of(arguments[0]), (std::vector<float>{9, 2}));
  EXPECT_EQ(values_of(arguments[1]), (std::vector<float>{3, 4}));
}

}  // namespace weight_values_test
}  // namespace graphnet::worker
