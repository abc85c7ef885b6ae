// SPDX-License-Identifier: MIT
#include "graph/weight_roles.h"

#include <gtest/gtest.h>

#include <string>

#include "graph/graph_text.h"

namespace graphnet::graph {
namespace weight_roles_test {

std::vector<WeightUse> uses_of(const std::string& body) {
  const auto graph = parse_graph("graph \"g\"\n" + body, "x.gir");
  EXPECT_TRUE(graph.is_ok()) << graph.status().to_string();
  return graph.is_ok() ? weight_uses(*graph) : std::vector<WeightUse>();
}

/// The role of %1, read by one node beside the input %0.
WeightUse use_in(const std::string& type, const std::string& call) {
  return uses_of("%0: f32[2,8] = input \"x\"\n%1: " + type +
                 " = weight \"w\"\n%2: f32[2,8] = " + call + "\nreturn %2\n")[1];
}

void expect_matrix(const WeightUse& use, double fan_in) {
  EXPECT_EQ(use.role, WeightRole::kMatrix);
  EXPECT_EQ(use.fan_in, fan_in);
}

TEST(WeightRoles, MatricesHaveAFanIn) {
  expect_matrix(use_in("f32[4,8]", "aten::linear(input=%0, weight=%1, bias=none)"), 8);
  expect_matrix(use_in("f32[8,4]", "aten::matmul(self=%0, other=%1)"), 8);
  expect_matrix(use_in("f32[8,4]", "aten::addmm(self=%0, mat1=%0, mat2=%1)"), 8);
  expect_matrix(use_in("f32[4,2]", "aten::mm(self=%1, mat2=%0)"), 2);
  expect_matrix(use_in("f32[6,3,5,5]", "aten::conv2d(input=%0, weight=%1, bias=none)"), 75);
  expect_matrix(use_in("f32[5,2,3,4]", "aten::bilinear(input1=%0, input2=%0, weight=%1)"), 24);
}

TEST(WeightRoles, TransposedKernelsSumOverTheirFirstExtent) {
  expect_matrix(
      use_in("f32[6,3,5]", "aten::conv_transpose1d(input=%0, weight=%1, bias=none, groups=2)"), 15);
  expect_matrix(
      use_in("f32[6,3,5]", "aten::convolution(input=%0, weight=%1, transposed=true, groups=1)"),
      30);
}

TEST(WeightRoles, EinsumSumsOverWhatItsResultHasNot) {
  expect_matrix(use_in("f32[8,4,5]", "aten::einsum(equation=\"bi,ijk->bk\", tensors=(%0, %1))"),
                32);
}

TEST(WeightRoles, NormalisationsHaveFour) {
  const auto uses = uses_of(
      "%0: f32[2,8] = input \"x\"\n%1: f32[8] = weight \"w\"\n%2: f32[8] = weight \"b\"\n"
      "%3: f32[8] = weight \"m\"\n%4: f32[8] = weight \"v\"\n"
      "%5: f32[2,8] = aten::batch_norm(input=%0, weight=%1, bias=%2, running_mean=%3, "
      "running_var=%4)\nreturn %5\n");
  EXPECT_EQ(uses[0].role, WeightRole::kUnknown);  // an input
  EXPECT_EQ(uses[1].role, WeightRole::kScale);
  EXPECT_EQ(uses[2].role, WeightRole::kBias);
  EXPECT_EQ(uses[3].role, WeightRole::kMean);
  EXPECT_EQ(uses[4].role, WeightRole::kVariance);
}

TEST(WeightRoles, ArithmeticWithAnInput) {
  EXPECT_EQ(use_in("f32[8]", "aten::mul.Tensor(self=%0, other=%1)").role, WeightRole::kScale);
  EXPECT_EQ(use_in("f32[8]", "aten::add_.Tensor(self=%0, other=%1)").role, WeightRole::kBias);
  EXPECT_EQ(use_in("f32[1,2,8]", "aten::add.Tensor(self=%0, other=%1)").role, WeightRole::kTable);
  EXPECT_EQ(use_in("f32[1,8]", "aten::cat(tensors=(%1, %0), dim=0)").role, WeightRole::kTable);
  EXPECT_EQ(use_in("f32[9,8]", "aten::embedding(weight=%1, indices=%0)").role, WeightRole::kTable);
}

TEST(WeightRoles, RecurrentParametersAreToldByTheirRank) {
  const auto uses = uses_of(
      "%0: f32[2,8] = input \"x\"\n%1: f32[16,8] = weight \"w\"\n%2: f32[16] = weight \"b\"\n"
      "%3: f32[2,4] = aten::lstm.input(input=%0, params=(%1, %2))\nreturn %3\n");
  expect_matrix(uses[1], 8);
  EXPECT_EQ(uses[2].role, WeightRole::kBias);
}

TEST(WeightRoles, OtherFormsOfAWeightAreLookedThrough) {
  const auto uses = uses_of(
      "%0: f32[2,8] = input \"x\"\n%1: f32[4,8] = weight \"w\"\n%2: f32[4,1] = weight \"g\"\n"
      "%3: f32[4,8] = aten::_weight_norm(v=%1, g=%2)\n%4: f32[8,4] = aten::t(self=%3)\n"
      "%5: f32[2,4] = aten::matmul(self=%0, other=%4)\nreturn %5\n");
  expect_matrix(uses[1], 8);
  EXPECT_EQ(uses[2].role, WeightRole::kScale);
}

TEST(WeightRoles, WhatIsReadInAnUnknownWayHasNone) {
  EXPECT_EQ(use_in("f32[8]", "aten::pow(self=%0, exponent=%1)").role, WeightRole::kUnknown);
  // exp(w) * x: its values are exponents.
  const auto uses = uses_of(
      "%0: f32[2,8] = input \"x\"\n%1: f32[8] = weight \"w\"\n%2: f32[8] = aten::exp(self=%1)\n"
      "%3: f32[2,8] = aten::mul.Tensor(self=%0, other=%2)\n"
      "%4: f32[2,8] = aten::add.Tensor(self=%3, other=%1)\nreturn %4\n");
  EXPECT_EQ(uses[1].role, WeightRole::kUnknown);
}

TEST(WeightRoles, AnOutputHasNone) {
  EXPECT_EQ(uses_of("%0: f32[8] = weight \"w\"\nreturn %0\n")[0].role, WeightRole::kUnknown);
}

TEST(WeightRoles, AnEmbeddingThatIsAMatrixTooIsATable) {
  const auto uses = uses_of(
      "%0: i64[2] = input \"x\"\n%1: f32[9,8] = weight \"w\"\n"
      "%2: f32[2,8] = aten::embedding(weight=%1, indices=%0)\n"
      "%3: f32[2,9] = aten::linear(input=%2, weight=%1, bias=none)\nreturn %3\n");
  EXPECT_EQ(uses[1].role, WeightRole::kTable);
}

}  // namespace weight_roles_test
}  // namespace graphnet::graph
