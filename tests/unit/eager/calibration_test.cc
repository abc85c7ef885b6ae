// SPDX-License-Identifier: MIT
#include "eager/calibration.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "unit/eager/eager_program.h"

namespace graphnet::eager {
namespace calibration_test {

using base::DType;
using graph::WeightRole;

std::vector<float> values_of(const EngineArgument& argument) {
  const auto* data = static_cast<const float*>(argument.data);
  return {data, data + *base::num_elements(argument.shape)};
}

double deviation_of(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return std::sqrt(squares / count);
}

TEST(Calibration, DividesEachMatrixByTheDeviationOfItsResult) {
  EagerProgram program({{DType::kFloat32, {4, 3}, {1, -2, 3, 4, 0, 1, -1, 2, 2, 1, 1, -3}},
                        {DType::kFloat32, {2, 3}, {100, 200, -50, 30, 10, 80}},
                        {DType::kFloat32, {2, 2}, {0.001, 0.002, -0.002, 0.001}}},
                       "h = torch._C._nn.linear(a, b)\n"
                       "g = torch.matmul(h, c)\n"
                       "return (h, g)");
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  ASSERT_GT(deviation_of(program.outputs[0]), 100);
  const auto calibrated =
      calibrate(program.program(), program.arguments(),
                {WeightRole::kUnknown, WeightRole::kMatrix, WeightRole::kMatrix});
  ASSERT_TRUE(calibrated.is_ok()) << calibrated.status().to_string();
  program.run();
  // The second one was told what the first one gives once that is divided.
  EXPECT_NEAR(deviation_of(program.outputs[0]), 1, 1e-5);
  EXPECT_NEAR(deviation_of(program.outputs[1]), 1, 1e-5);
}

std::vector<float> values_of(const base::DenseTensor& tensor) {
  const auto* values = reinterpret_cast<const float*>(tensor.bytes.data());
  return {values, values + *base::num_elements(tensor.shape)};
}

// The bias is not divided with the product, so the product is computed again.
TEST(Calibration, GivesTheOutputsOfTheWeightsThatItLeaves) {
  EagerProgram program({{DType::kFloat32, {4, 3}, {1, -2, 3, 4, 0, 1, -1, 2, 2, 1, 1, -3}},
                        {DType::kFloat32, {2, 3}, {100, 200, -50, 30, 10, 80}},
                        {DType::kFloat32, {2}, {5, -7}}},
                       "h = torch._C._nn.linear(a, b, c)\nreturn (h,)");
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  const auto calibrated =
      calibrate(program.program(), program.arguments(),
                {WeightRole::kUnknown, WeightRole::kMatrix, WeightRole::kUnknown});
  ASSERT_TRUE(calibrated.is_ok()) << calibrated.status().to_string();
  EXPECT_TRUE(calibrated->is_final);
  program.run();
  ASSERT_EQ(calibrated->outputs.size(), 1U);
  EXPECT_EQ(calibrated->outputs[0].shape, (std::vector<std::int64_t>{4, 2}));
  const std::vector<float> found = values_of(calibrated->outputs[0]);
  EXPECT_EQ(std::vector<double>(found.begin(), found.end()), program.outputs[0]);
}

TEST(Calibration, SaysIfAWeightWasUsedBeforeItWasChanged) {
  EagerProgram program({{DType::kFloat32, {2, 2}, {100, 200, 300, 500}},
                        {DType::kFloat32, {2, 2}, {10, -20, 30, 40}}},
                       "h = a + b\ng = torch.matmul(h, b)\nreturn (g,)");
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  const auto calibrated = calibrate(program.program(), program.arguments(),
                                    {WeightRole::kUnknown, WeightRole::kMatrix});
  ASSERT_TRUE(calibrated.is_ok()) << calibrated.status().to_string();
  EXPECT_FALSE(calibrated->is_final);
}

// Where inputs cannot vary, the run's results would be those that are compared.
TEST(Calibration, ReversesWeightsAfterTheRun) {
  EagerProgram program({{DType::kFloat32, {2, 2}, {1, -1, 2, -2}},
                        {DType::kFloat32, {2, 2}, {1, 2, -1, 1}},
                        {DType::kFloat32, {2}, {3, 4}}},
                       "h = torch._C._nn.linear(a, b, c)\nreturn (h,)");
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  const auto calibrated = calibrate(program.program(), program.arguments(),
                                    {WeightRole::kUnknown, WeightRole::kMatrix, WeightRole::kBias},
                                    {}, /*then_reverse=*/true);
  ASSERT_TRUE(calibrated.is_ok()) << calibrated.status().to_string();
  EXPECT_FALSE(calibrated->is_final);
  EXPECT_EQ(values_of(program.arguments()[2]), (std::vector<float>{4, 3}));
  program.run();
  const std::vector<float> found = values_of(calibrated->outputs[0]);
  EXPECT_NE(std::vector<double>(found.begin(), found.end()), program.outputs[0]);
}

TEST(Calibration, LeavesMatricesThatAreRight) {
  EagerProgram program({{DType::kFloat32, {4, 1}, {1, -1, 2, -2}}, {DType::kFloat32, {1, 1}, {1}}},
                       "h = torch._C._nn.linear(a, b)\nreturn (h,)");
  ASSERT_TRUE(
      calibrate(program.program(), program.arguments(), {WeightRole::kUnknown, WeightRole::kMatrix})
          .is_ok());
  EXPECT_EQ(values_of(program.arguments()[1]), std::vector<float>{1});
}

/// 1, -1, 1, ... in the first channel and 3, 1, 3, ... in the second.
std::vector<double> two_channels(std::size_t count) {
  std::vector<double> values;
  for (std::size_t i = 0; i < 2 * count; ++i) {
    values.push_back((i % 2 == 0 ? 1 : -1) + (i < count ? 0 : 2));
  }
  return values;
}

constexpr const char* kBatchNorm =
    "h = torch.nn.functional.batch_norm(a, b, c, None, None, False, 0.1, 1e-05)\nreturn (h,)";
const std::vector<WeightRole> kStatistics = {WeightRole::kUnknown, WeightRole::kMean,
                                             WeightRole::kVariance};

void expect_statistics(const EngineArgument& argument, const std::vector<float>& expected) {
  const std::vector<float> found = values_of(argument);
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-5);
}

// Of 64 elements each, so that half of it is the channel's own: 0 and 2, 1 and 1, mean square 3.
TEST(Calibration, GivesANormalisationTheStatisticsOfItsInput) {
  EagerProgram program({{DType::kFloat32, {1, 2, 8, 8}, two_channels(64)},
                        {DType::kFloat32, {2}, {5, 5}},
                        {DType::kFloat32, {2}, {7, 7}}},
                       kBatchNorm);
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  ASSERT_TRUE(calibrate(program.program(), program.arguments(), kStatistics).is_ok());
  expect_statistics(program.arguments()[1], {0, 1});
  expect_statistics(program.arguments()[2], {2, 2});
}

// One element a channel: its own mean would leave nothing of it.
TEST(Calibration, FewElementsAreHardlyTrusted) {
  EagerProgram program({{DType::kFloat32, {1, 2}, {3, 4}},
                        {DType::kFloat32, {2}, {5, 5}},
                        {DType::kFloat32, {2}, {7, 7}}},
                       kBatchNorm);
  ASSERT_TRUE(calibrate(program.program(), program.arguments(), kStatistics).is_ok());
  expect_statistics(program.arguments()[1], {3 / 65.0F, 4 / 65.0F});
  expect_statistics(program.arguments()[2], {12.5F * 64 / 65, 12.5F * 64 / 65});
}

TEST(Calibration, LeavesWhatHasNoRoleAndWhatTheProgramWrites) {
  EagerProgram program(
      {{DType::kFloat32, {2, 2}, {100, 200, 300, 500}}, {DType::kFloat32, {2, 2}, {1, 2, 3, 4}}},
      "a += 1\nh = torch.matmul(a, b)\nreturn (h,)");
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  ASSERT_TRUE(program.engine->prepare().is_ok());
  ASSERT_TRUE(calibrate(program.program(), program.arguments(),
                        {WeightRole::kUnknown, WeightRole::kUnknown})
                  .is_ok());
  EXPECT_EQ(values_of(program.arguments()[0]), (std::vector<float>{100, 200, 300, 500}));
  EXPECT_EQ(values_of(program.arguments()[1]), (std::vector<float>{1, 2, 3, 4}));
}

}  // namespace calibration_test
}  // namespace graphnet::eager
