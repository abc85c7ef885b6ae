// SPDX-License-Identifier: MIT
#include "tvm_plugin/legalize.h"

#include <gtest/gtest.h>

#include <functional>

#include "lowering/builder.h"
#include "lowering/ir/graph_emitter.h"
#include "lowering/ir/interpret.h"
#include "lowering/ir/text.h"
#include "lowering/ir/verify.h"
#include "support/counted_arrays.h"

namespace graphnet::tvm {
namespace {

namespace ir = lowering::ir;
using lowering::Builder;
using lowering::ConvolutionAttributes;
using lowering::Shape;
using lowering::Tensor;
using lowering::Type;
using Make = std::function<Tensor(Builder&, const std::vector<Tensor>&)>;

template <typename Kind>
std::size_t count(const ir::Graph& graph) {
  std::size_t found = 0;
  for (const ir::Node& node : graph.nodes) found += std::holds_alternative<Kind>(node.operation);
  return found;
}

/// A graph over inputs of these shapes, and what it becomes: the same numbers.
ir::Graph check(const std::vector<Shape>& inputs, const Make& make, bool rewrites = true) {
  ir::GraphEmitter emitter(rewrites);
  Builder b(emitter);
  std::vector<Tensor> parameters;
  std::vector<ir::Array> arrays;
  for (const Shape& shape : inputs) {
    arrays.push_back(tests::counted_array({Type::kF32, shape}));
    parameters.push_back(emitter.parameter(ir::ParameterSource::kInput,
                                           static_cast<std::int64_t>(parameters.size()),
                                           {Type::kF32, shape}));
  }
  const ir::Graph graph = emitter.finish({make(b, parameters)});
  ir::Built legalized = legalize(graph, rewrites);
  EXPECT_TRUE(legalized.failures.empty()) << lowering::describe_failures(legalized.failures);
  ir::verify(legalized.graph);
  const std::string text = ir::to_text(legalized.graph);
  EXPECT_EQ(ir::to_text(ir::parse(text)), text);
  EXPECT_EQ(ir::interpret(legalized.graph, {arrays})[0].elements,
            ir::interpret(graph, {arrays})[0].elements)
      << text;
  return std::move(legalized.graph);
}

TEST(Legalize, PacksTheRightSideOfProducts) {
  const Make product = [](Builder& b, const auto& in) {
    return b.emit.dot(in[0], in[1], {{1}, {0}, {2}, {2}});
  };
  for (const std::int64_t columns : {2, 5, 16, 37, 70}) {
    const ir::Graph graph = check({{6, 2, 3}, {2, columns, 3}}, product);
    EXPECT_EQ(count<ir::PackedDot>(graph), 1U) << columns;
  }
  EXPECT_EQ(count<ir::Dot>(check({{6, 2, 3}, {2, 1, 3}}, product)), 1U) << "one column";
  EXPECT_EQ(count<ir::Dot>(check({{6, 2, 3}, {2, 5, 3}}, product, /*rewrites=*/false)), 1U);
}

TEST(Legalize, WritesConvolutionsChannelsLast) {
  const auto convolution = [](std::int64_t groups, const Shape& kernel, bool rewrites) {
    const ConvolutionAttributes a = {{2, 1}, {1, 0}, {0, 2}, {1, 2}, {1, 2}, groups};
    return check(
        {{2, 8, 7, 6}, kernel},
        [&](Builder& b, const auto& in) { return b.emit.convolution(in[0], in[1], a); }, rewrites);
  };
  for (const bool rewrites : {true, false}) {
    EXPECT_EQ(count<ir::PackedConvolution>(convolution(1, {5, 8, 3, 2}, rewrites)), 1U);
    EXPECT_EQ(count<ir::PackedConvolution>(convolution(2, {40, 4, 3, 2}, rewrites)), 1U);
    EXPECT_EQ(count<ir::Convolution>(convolution(8, {8, 1, 3, 2}, rewrites)), 1U);
    EXPECT_EQ(count<ir::Convolution>(convolution(8, {24, 1, 3, 2}, rewrites)), 1U);
  }
}

TEST(Legalize, WritesOneTapAsAProduct) {
  const ConvolutionAttributes a = {{1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, 1};
  const ir::Graph graph = check({{2, 8, 3, 3}, {5, 8, 1, 1}}, [&](Builder& b, const auto& in) {
    return b.emit.convolution(in[0], in[1], a);
  });
  EXPECT_EQ(count<ir::PackedDot>(graph), 1U);
  EXPECT_EQ(count<ir::PackedConvolution>(graph), 0U);
}

TEST(Legalize, NamesTheOperatorThatTvmCannotExpress) {
  ir::GraphEmitter emitter(true);
  emitter.begin_node("aten::real", "model.py:9:5");
  const Tensor x = emitter.parameter(ir::ParameterSource::kInput, 0, {Type::kC64, {2}});
  const ir::Built legalized =
      legalize(emitter.finish({emitter.unary(lowering::Unary::kReal, x)}), true);
  ASSERT_EQ(legalized.failures.size(), 1U);
  EXPECT_EQ(legalized.failures[0].op, "aten::real");
}

}  // namespace
}  // namespace graphnet::tvm
