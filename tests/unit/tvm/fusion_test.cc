// SPDX-License-Identifier: MIT
#include "tvm_plugin/fusion.h"

#include <gtest/gtest.h>

#include <vector>

#include "lowering/builder.h"
#include "lowering/ir/graph_emitter.h"
#include "lowering/ir/passes/stage.h"
#include "tvm_plugin/legalize.h"

namespace graphnet::tvm {
namespace fusion_test {

using lowering::Builder;
using lowering::Tensor;
using lowering::Unary;

/// A graph as it is legalised (a constant stands for weights, so it is known in bind).
class Graph {
 public:
  explicit Graph(bool rewrites = true) : rewrites_(rewrites), emitter_(rewrites), b(emitter_) {}

  Tensor input(const Shape& shape) {
    return emitter_.parameter(ir::ParameterSource::kInput, num_inputs_++, {Type::kF32, shape});
  }
  Tensor weight(const Shape& shape) {
    const std::vector<float> data(static_cast<std::size_t>(lowering::num_elements(shape)), 1);
    return emitter_.constant(Type::kF32, shape, data.data());
  }
  KernelPlan plan(const Tensor& output) {
    legal_ = legalize(emitter_.finish({output}), rewrites_).graph;
    return plan_kernels(legal_);
  }
  const ir::Graph& legal() const { return legal_; }
  const ir::Operation& operation(ir::ValueId id) const { return legal_.maker(id).operation; }

 private:
  bool rewrites_;
  std::int64_t num_inputs_ = 0;
  ir::GraphEmitter emitter_;
  ir::Graph legal_;

 public:
  Builder b;
};

TEST(Fusion, SoftmaxIsOneKernelOfRows) {
  Graph graph;
  const KernelPlan plan = graph.plan(graph.b.softmax(graph.input({4, 8, 64}), 2));
  ASSERT_EQ(plan.call.size(), 1U);
  EXPECT_EQ(plan.call[0].kind, KernelKind::kRows);
  EXPECT_EQ(plan.call[0].rows, 32);
  EXPECT_EQ(plan.call[0].reductions.size(), 2U);
}

// Rows that are some steps apart are copied before a product reads them once a panel.
TEST(Fusion, ProductsReadRowsThatAreStored) {
  std::vector<std::size_t> num_kernels;
  for (const std::int64_t step : {1, 2}) {
    Graph graph;
    const Tensor x = graph.b.slice(graph.input({16, 24}), 0, 0, 8 * step, step);
    num_kernels.push_back(graph.plan(graph.b.matmul(x, graph.weight({24, 40}))).call.size());
  }
  EXPECT_EQ(num_kernels[1], num_kernels[0] + 1);
}

// As a softmax that has no subnormal weights; its rows compute the exponentials once for both uses.
TEST(Fusion, AnElementIsCostlyThatChoosesWhatIs) {
  Graph graph;
  Builder& b = graph.b;
  const Tensor x = graph.input({8, 64});
  const Tensor weight = b.select(b.compare(lowering::Comparison::kLt, x, -87.0), b.multiply(x, 0.0),
                                 b.unary(Unary::kExp, x));
  const Tensor sum = b.reduce(lowering::Reduction::kSum, weight, {1}, true);
  const KernelPlan plan = graph.plan(b.divide(weight, sum));
  ASSERT_EQ(plan.call.size(), 1U);
  const Kernel& kernel = plan.call[0];
  ASSERT_EQ(kernel.reductions.size(), 1U);
  const ir::ValueId reduced = graph.legal().maker(kernel.reductions[0]).operands[0];
  ASSERT_TRUE(std::holds_alternative<ir::Select>(graph.operation(reduced)));
  EXPECT_TRUE(is_costly_within(graph.legal(), kernel, reduced));
  for (const ir::ValueId operand : graph.legal().maker(reduced).operands) {
    const bool is_exp = std::holds_alternative<ir::UnaryOperation>(graph.operation(operand));
    EXPECT_EQ(is_costly_within(graph.legal(), kernel, operand), is_exp);
  }
}

TEST(Fusion, RowsThatLeaveTheCacheAreReducedByThemselves) {
  Graph graph;
  const KernelPlan plan = graph.plan(graph.b.softmax(graph.input({2, 1 << 16}), 1));
  EXPECT_GT(plan.call.size(), 1U);
}

TEST(Fusion, WhatFollowsAConvolutionElementByElementIsPartOfIt) {
  Graph graph;
  Builder& b = graph.b;
  lowering::ConvolutionAttributes a;
  a.stride = a.kernel_dilation = a.input_dilation = {1, 1};
  a.low = a.high = {0, 0};
  const Tensor product =
      b.emit.convolution(graph.input({1, 16, 9, 9}), graph.weight({32, 16, 3, 3}), a);
  const Tensor biased = b.add(product, b.reshape(graph.weight({32}), {1, 32, 1, 1}));
  const Tensor next = b.emit.convolution(b.clamp(biased, 0, 6), graph.weight({8, 32, 3, 3}), a);
  const KernelPlan plan = graph.plan(next);
  // The input laid out channels-last, two convolutions, and the result as the graph gives it.
  ASSERT_EQ(plan.call.size(), 4U);
  EXPECT_EQ(plan.call[1].kind, KernelKind::kAnchor);
  EXPECT_EQ(plan.call[1].members.size(), 4U) << "product, bias, maximum and minimum";
  EXPECT_EQ(plan.bind.size(), 2U) << "the panels of two kernels";
}

TEST(Fusion, TransposesOfNeighbouringConvolutionsMeetAndGo) {
  Graph graph;
  Builder& b = graph.b;
  lowering::ConvolutionAttributes a;
  a.stride = a.kernel_dilation = a.input_dilation = {1, 1};
  a.low = a.high = {0, 0};
  Tensor x = graph.input({1, 16, 9, 9});
  for (int i = 0; i < 3; ++i) {
    x = b.unary(Unary::kTanh, b.emit.convolution(x, graph.weight({16, 16, 3, 3}), a));
  }
  const KernelPlan plan = graph.plan(x);
  EXPECT_EQ(plan.call.size(), 5U) << "three convolutions, and a layout at each end";
}

TEST(Fusion, AValueThatTwoKernelsReadIsStored) {
  Graph graph;
  Builder& b = graph.b;
  const Tensor shared = b.unary(Unary::kExp, graph.input({64, 64}));
  const Tensor left = b.matmul(shared, graph.weight({64, 64}));
  const KernelPlan plan = graph.plan(b.add(left, shared));
  for (const ir::Node& node : graph.legal().nodes) {
    if (!std::holds_alternative<ir::UnaryOperation>(node.operation)) continue;
    EXPECT_TRUE(plan.is_stored[static_cast<std::size_t>(node.results[0])]);
  }
  EXPECT_EQ(plan.call.size(), 2U);
}

TEST(Fusion, SharedOperandsDoNotMultiplyWithoutBound) {
  Graph graph;
  Builder& b = graph.b;
  Tensor x = graph.input({256});
  for (int i = 0; i < 12; ++i) x = b.multiply(x, b.unary(Unary::kSin, x));
  const KernelPlan plan = graph.plan(x);
  EXPECT_GT(plan.call.size(), 1U) << "4096 copies in one expression";
  EXPECT_LT(plan.call.size(), 12U);
}

TEST(Fusion, WithoutRewritesTransposesStayWhereTheyAre) {
  Graph graph(false);
  Builder& b = graph.b;
  const Tensor x = b.emit.transpose(graph.input({4, 8}), {1, 0});
  const Tensor y = b.unary(Unary::kExp, x);
  EXPECT_EQ(y.shape, (Shape{8, 4}));
  const KernelPlan plan = graph.plan(y);
  EXPECT_TRUE(is_elementwise(graph.operation(graph.legal().outputs[0])));
  EXPECT_EQ(plan.call.size(), 1U);
}

TEST(Fusion, KernelsRunAfterWhatTheyRead) {
  Graph graph;
  Builder& b = graph.b;
  Tensor x = graph.input({32, 32});
  for (int i = 0; i < 4; ++i) {
    x = b.softmax(b.matmul(x, graph.weight({32, 32})), 1);
  }
  const KernelPlan plan = graph.plan(x);
  const std::vector<ir::Stage> stages = ir::stages_of(graph.legal());
  std::vector<bool> is_ready(graph.legal().values.size());
  for (const Kernel& kernel : plan.call) {
    for (const ir::ValueId member : kernel.members) {
      for (const ir::ValueId operand : graph.legal().maker(member).operands) {
        const bool is_made = plan.is_stored[static_cast<std::size_t>(operand)] &&
                             stages[static_cast<std::size_t>(operand)] == ir::Stage::kCall &&
                             !is_argument(graph.operation(operand));
        const bool is_own = operand == kernel.root;
        EXPECT_TRUE(!is_made || is_own || is_ready[static_cast<std::size_t>(operand)]);
      }
    }
    is_ready[static_cast<std::size_t>(kernel.root)] = true;
  }
}

}  // namespace fusion_test
}  // namespace graphnet::tvm
