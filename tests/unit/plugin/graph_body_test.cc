// SPDX-License-Identifier: MIT
#include "plugin/graph_body.h"

#include <gtest/gtest.h>

#include "graph/graph_text.h"
#include "graphnet/graph_view.h"
#include "plugin/host_services.h"

namespace graphnet::plugin {
namespace graph_body_test {

constexpr const char* kGraph =
    "graph \"t\"\n"
    "%0: f64[] = input \"eps\"\n"
    "%1: f32[2] = input \"x\"\n"
    "%2: f32[2] = weight \"w\"\n"
    "%3: f32[2] = aten::add.Tensor(self=%1, other=%2, alpha=1)\n"
    "%4: f32[2] = aten::mul.Tensor(self=%3, other=%0)\n"
    "specialised %0\n"
    "return %4\n";

class GraphBodyTest : public ::testing::Test {
 protected:
  GraphBodyTest() {
    auto parsed = graph::parse_graph(kGraph, "test");
    EXPECT_TRUE(parsed.is_ok()) << parsed.status().to_string();
    if (parsed.is_ok()) graph_ = std::move(parsed).value();
  }
  graph::Graph graph_;
};

TEST_F(GraphBodyTest, InputsAndWeightsAreNumberedApart) {
  const Signature signature = signature_of(graph_);
  const gn_graph graph(signature);
  ASSERT_EQ(graph.inputs.size(), 2u);
  ASSERT_EQ(graph.weights.size(), 1u);
  const gn_graph_body body = graph.body->view();
  const auto values = values_of(body);
  EXPECT_EQ(values[1].kind, GN_VALUE_INPUT + 0u);
  EXPECT_EQ(values[1].index, 1u);
  EXPECT_EQ(values[2].kind, GN_VALUE_WEIGHT + 0u);
  EXPECT_EQ(values[2].index, 0u);
  EXPECT_EQ(values[2].data, nullptr);
}

TEST_F(GraphBodyTest, ASpecialisedArgumentIsAConstantAndNoInput) {
  const double eps = 1e-5;
  Signature signature = signature_of(graph_);
  signature.arguments[0].role = Role::kSpecialised;
  signature.known = {&eps, nullptr, nullptr};
  const gn_graph graph(signature);
  ASSERT_EQ(graph.inputs.size(), 1u);
  EXPECT_EQ(std::string(graph.inputs[0].name.data, graph.inputs[0].name.size), "x");
  const gn_graph_body body = graph.body->view();
  const auto values = values_of(body);
  EXPECT_EQ(values[0].kind, GN_VALUE_CONSTANT + 0u);
  EXPECT_EQ(values[0].data, &eps);
  EXPECT_EQ(values[1].index, 0u);
}

}  // namespace graph_body_test
}  // namespace graphnet::plugin
