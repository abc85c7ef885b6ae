// SPDX-License-Identifier: MIT
#include "eager/non_finite.h"

#include <gtest/gtest.h>

#include <limits>

#include "unit/eager/eager_program.h"

namespace graphnet::eager {
namespace non_finite_test {

using base::DType;

const TestArgument kImage = {DType::kFloat32, {1, 2, 1, 1}, {3, 4}};
const TestArgument kMean = {DType::kFloat32, {2}, {0, 0}};
const TestArgument kPositive = {DType::kFloat32, {2}, {1, 2}};
const TestArgument kNegative = {DType::kFloat32, {2}, {1, -0.5}};
constexpr const char* kBatchNorm =
    "y = torch.nn.functional.batch_norm(a, b, c, None, None, False, 0.1, 1e-05)\n"
    "z = y + 1\nreturn (z, a)";

FiniteReport report_of(const std::vector<TestArgument>& arguments, const std::string& body) {
  const EagerProgram program(arguments, body);
  EXPECT_TRUE(program.status.is_ok()) << program.status.to_string();
  auto report = find_non_finite(program.program(), program.arguments());
  EXPECT_TRUE(report.is_ok()) << report.status().to_string();
  return report.is_ok() ? *report : FiniteReport();
}

TEST(NonFinite, FindsNothingInAFiniteRun) {
  const FiniteReport report = report_of({kImage, kMean, kPositive}, kBatchNorm);
  EXPECT_EQ(report.num_outputs, 2U);
  EXPECT_EQ(report.num_calls, 2U);
  EXPECT_FALSE(report.first_nan);
  EXPECT_TRUE(report.infinities.empty());
  EXPECT_TRUE(report.outputs.empty());
  EXPECT_TRUE(report.breaches.empty());
}

TEST(NonFinite, NamesTheCallAndTheArgumentOfANegativeVariance) {
  const FiniteReport report = report_of({kImage, kMean, kNegative}, kBatchNorm);
  EXPECT_EQ(report.output_indices, std::vector<std::size_t>{0});
  EXPECT_EQ(report.outputs[0].num_nan, 1);
  ASSERT_TRUE(report.first_nan);
  EXPECT_EQ(report.first_nan->op, "aten::batch_norm");
  EXPECT_TRUE(report.first_nan->are_arguments_finite());
  ASSERT_EQ(report.first_nan->arguments.size(), 3U);
  EXPECT_EQ(report.first_nan->arguments[2].name, "running_var");
  EXPECT_EQ(report.first_nan->arguments[2].parameter, "c");
  EXPECT_EQ(report.first_nan->arguments[2].lowest, -0.5);
  EXPECT_EQ(report.first_nan->result.num_nan, 1);
  ASSERT_EQ(report.breaches.size(), 1U);
  EXPECT_EQ(report.breaches[0].parameter, "c");
  EXPECT_EQ(report.breaches[0].key, "min_val");
  EXPECT_EQ(report.breaches[0].bound, 0);
}

TEST(NonFinite, VariancesAreNotReadInTraining) {
  const FiniteReport report = report_of(
      {{DType::kFloat32, {2, 2}, {1, 2, 3, 5}}, kMean, kNegative},
      "y = torch.nn.functional.batch_norm(a, b, c, None, None, True, 0.1, 1e-05)\nreturn (y,)");
  EXPECT_TRUE(report.outputs.empty());
  EXPECT_TRUE(report.breaches.empty());
}

TEST(NonFinite, WithoutEpsAVarianceHasToBePositive) {
  const FiniteReport report = report_of(
      {kImage, kMean, {DType::kFloat32, {2}, {1, 0}}},
      "y = torch.nn.functional.batch_norm(a, b, c, None, None, False, 0.1, 0.0)\nreturn (y,)");
  ASSERT_EQ(report.breaches.size(), 1U);
  EXPECT_EQ(report.breaches[0].bound, 1e-5);
}

TEST(NonFinite, FollowsElementsThroughCopiesAndSums) {
  const FiniteReport report =
      report_of({kNegative}, "v = a.reshape(1, 2)\nw = v + 0.25\ny = torch.rsqrt(w)\nreturn (y,)");
  ASSERT_TRUE(report.first_nan);
  EXPECT_EQ(report.first_nan->op, "aten::rsqrt");
  ASSERT_EQ(report.breaches.size(), 1U);
  EXPECT_EQ(report.breaches[0].parameter, "a");
  EXPECT_EQ(report.breaches[0].bound, 0);
  EXPECT_TRUE(report.breaches[0].argument.parameter.empty());
}

TEST(NonFinite, WhatIsComputedHasNoBound) {
  const FiniteReport report = report_of({kNegative}, "v = a * 2\ny = torch.sqrt(v)\nreturn (y,)");
  EXPECT_TRUE(report.first_nan);
  EXPECT_TRUE(report.breaches.empty());
}

TEST(NonFinite, TellsInfinitiesFromTheNanThatTheyBecome) {
  const FiniteReport report = report_of({kPositive},
                                        "m = torch.full([2], -inf)\ns = a + m\n"
                                        "y = torch.nn.functional.softmax(s, dim = 0)\nreturn (y,)");
  ASSERT_EQ(report.infinities.size(), 1U);
  EXPECT_EQ(report.infinities[0].op, "aten::full");
  ASSERT_TRUE(report.first_nan);
  EXPECT_EQ(report.first_nan->op, "aten::softmax.int");
  EXPECT_FALSE(report.first_nan->are_arguments_finite());
}

TEST(NonFinite, ArgumentsOfAWritingCallAreThoseBefore) {
  const FiniteReport report = report_of({kNegative}, "v = a.clone()\ny = v.log_()\nreturn (y,)");
  ASSERT_TRUE(report.first_nan);
  ASSERT_EQ(report.first_nan->arguments.size(), 1U);
  EXPECT_TRUE(report.first_nan->arguments[0].is_finite());
  EXPECT_EQ(report.first_nan->arguments[0].lowest, -0.5);
  ASSERT_EQ(report.breaches.size(), 1U);
  EXPECT_EQ(report.breaches[0].bound, 1e-6);
}

TEST(NonFinite, ArgumentsOfForwardMayBeTheCause) {
  const FiniteReport report =
      report_of({{DType::kFloat32, {2}, {std::numeric_limits<double>::quiet_NaN(), 1}}},
                "y = a + 1\nreturn (y,)");
  ASSERT_EQ(report.arguments.size(), 1U);
  EXPECT_EQ(report.arguments[0].name, "a");
  ASSERT_TRUE(report.first_nan);
  EXPECT_FALSE(report.first_nan->are_arguments_finite());
}

}  // namespace non_finite_test
}  // namespace graphnet::eager
