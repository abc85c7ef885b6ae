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
namespace legalize_test {

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

// Of bfloat16 alone, where the form says so, and where there is enough to multiply.
TEST(Legalize, PairsTheDepthOfProductsOfBfloat16) {
  const auto pairs_of = [](Type type, const Shape& left, std::int64_t columns, bool has_pairs) {
    const Shape right = {left[0], columns, left[2]};
    ir::GraphEmitter emitter(true);
    const Tensor a = emitter.parameter(ir::ParameterSource::kInput, 0, {type, left});
    const Tensor b = emitter.parameter(ir::ParameterSource::kInput, 1, {type, right});
    const ir::Graph graph = emitter.finish({emitter.dot(a, b, {{0}, {0}, {2}, {2}})});
    Forms forms;
    forms.has_pairs = has_pairs;
    const ir::Graph legalized = legalize(graph, true, forms).graph;
    ir::verify(legalized);
    const std::string text = ir::to_text(legalized);
    EXPECT_EQ(ir::to_text(ir::parse(text)), text);
    const ir::Arguments arguments = {
        {tests::counted_array({type, left}), tests::counted_array({type, right})}};
    EXPECT_EQ(ir::interpret(legalized, arguments)[0].elements,
              ir::interpret(graph, arguments)[0].elements);
    return count<ir::PairedDot>(legalized);
  };
  EXPECT_EQ(pairs_of(Type::kBF16, {2, 18, 67}, 33, true), 1U);
  EXPECT_EQ(pairs_of(Type::kBF16, {2, 18, 67}, 33, false), 0U);
  EXPECT_EQ(pairs_of(Type::kF16, {2, 18, 67}, 33, true), 0U);
  EXPECT_EQ(pairs_of(Type::kBF16, {2, 18, 67}, 1, true), 0U) << "one column";
  EXPECT_EQ(pairs_of(Type::kBF16, {2, 5, 67}, 33, true), 0U) << "22,110 multiplications";
}

// A tile of two registers a row: what a processor with narrower ones multiplies with is narrower.
TEST(Legalize, MakesPanelsOfTwoRegisters) {
  ir::GraphEmitter emitter(true);
  const Tensor a = emitter.parameter(ir::ParameterSource::kInput, 0, {Type::kF32, {1, 6, 3}});
  const Tensor b = emitter.parameter(ir::ParameterSource::kInput, 1, {Type::kF32, {1, 3, 70}});
  const ir::Graph graph = emitter.finish({emitter.dot(a, b, {{0}, {0}, {2}, {1}})});
  for (const VectorUnit& unit : {kAvx512, kAvx2, kSse}) {
    const ir::Graph legalized = legalize(graph, true, {unit}).graph;
    for (const ir::Node& node : legalized.nodes) {
      if (!std::holds_alternative<ir::PackedDot>(node.operation)) continue;
      EXPECT_EQ(legalized.type(node.operands[1]).shape.back(), 2 * unit.lanes);
    }
    EXPECT_EQ(count<ir::PackedDot>(legalized), 1U);
  }
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

// Products with subnormal numbers are slow, and libtorch's softmax has none.
TEST(Legalize, WeightsOfASoftmaxAreNotSubnormal) {
  for (const char* op : {"aten::softmax.int", "aten::scaled_dot_product_attention", "aten::exp"}) {
    ir::GraphEmitter emitter(true);
    Builder b(emitter);
    const Tensor x = emitter.parameter(ir::ParameterSource::kInput, 0, {Type::kF32, {1, 3}});
    emitter.begin_node(op, "model.py:1:1");
    const ir::Graph graph = emitter.finish({b.softmax(x, 1)});
    const ir::Graph legalized = legalize(graph, true).graph;
    const ir::Array scores = {{Type::kF32, {1, 3}}, {0, -90, -80}};
    const auto weights = ir::interpret(legalized, {{scores}})[0].elements;
    EXPECT_EQ(weights.at(1).real() == 0, std::string(op) != "aten::exp") << op;
    EXPECT_GT(weights.at(2).real(), 0) << op;
  }
}

TEST(Legalize, WritesOneTapAsAProduct) {
  const ConvolutionAttributes cases[] = {
      {{1, 1}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, 1},
      {{2, 3}, {0, 0}, {0, 0}, {1, 1}, {1, 1}, 1},
      {{1, 2}, {1, 0}, {0, 2}, {2, 1}, {3, 1}, 1},
  };
  for (const ConvolutionAttributes& a : cases) {
    const ir::Graph graph = check({{2, 8, 5, 4}, {5, 8, 1, 1}}, [&](Builder& b, const auto& in) {
      return b.emit.convolution(in[0], in[1], a);
    });
    EXPECT_EQ(count<ir::PackedDot>(graph), 1U);
    EXPECT_EQ(count<ir::PackedConvolution>(graph), 0U);
  }
}

// Two columns fill no vector; with other groups' taps of 0 between them eight do.
TEST(Legalize, MergesSmallGroups) {
  struct Case {
    std::int64_t out;
    std::int64_t groups;
    std::int64_t left;  ///< groups
  };
  for (const Case& each : {Case{16, 8, 2}, Case{16, 4, 2}, Case{24, 8, 8}, Case{16, 2, 2},
                           Case{8, 2, 1}, Case{12, 6, 6}, Case{8, 8, 8}}) {
    const Shape kernel_shape = {each.out, 2, 3, 2};
    const Shape image = {2, 2 * each.groups, 5, 4};
    const ConvolutionAttributes a = {{2, 1}, {1, 0}, {0, 2}, {1, 1}, {1, 1}, each.groups};
    ir::GraphEmitter emitter(true);
    const Tensor x = emitter.parameter(ir::ParameterSource::kInput, 0, {Type::kF32, image});
    const Tensor kernel =
        emitter.parameter(ir::ParameterSource::kWeight, 0, {Type::kF32, kernel_shape});
    const ir::Graph graph = emitter.finish({emitter.convolution(x, kernel, a)});
    const ir::Graph legalized = legalize(graph, true).graph;
    ir::verify(legalized);
    const ir::Arguments arguments = {{tests::counted_array({Type::kF32, image})},
                                     {tests::counted_array({Type::kF32, kernel_shape})}};
    EXPECT_EQ(ir::interpret(legalized, arguments)[0].elements,
              ir::interpret(graph, arguments)[0].elements);
    for (const ir::Node& node : legalized.nodes) {
      const auto* convolution = std::get_if<ir::PackedConvolution>(&node.operation);
      if (convolution == nullptr) continue;
      EXPECT_EQ(convolution->groups, each.left) << each.groups;
    }
    EXPECT_EQ(count<ir::PackedConvolution>(legalized), 1U);
    EXPECT_EQ(count<ir::Concatenate>(legalize(graph, /*rewrites=*/false).graph), 0U);
    // Two columns fill as much of a vector of four as they would of eight.
    for (const ir::Node& node : legalize(graph, true, {kSse}).graph.nodes) {
      const auto* convolution = std::get_if<ir::PackedConvolution>(&node.operation);
      if (convolution == nullptr || each.out != 2 * each.groups) continue;
      EXPECT_EQ(convolution->groups, each.groups / 2);
    }
  }
}

/// A convolution of 3 x 3 taps over 16 channels and more, with a kernel that is a weight.
ir::Graph three_by_three(const Shape& image, const ConvolutionAttributes& a, bool is_weight = true,
                         const Forms& forms = {}) {
  ir::GraphEmitter emitter(true);
  Builder b(emitter);
  const Shape kernel_shape = {20, image[1] / a.groups, 3, 3};
  const ir::Array x = tests::counted_array({Type::kF32, image});
  const ir::Array kernel = tests::counted_array({Type::kF32, kernel_shape});
  const auto source = is_weight ? ir::ParameterSource::kWeight : ir::ParameterSource::kInput;
  const std::vector<Tensor> in = {
      emitter.parameter(ir::ParameterSource::kInput, 0, {Type::kF32, image}),
      emitter.parameter(source, is_weight ? 0 : 1, {Type::kF32, kernel_shape})};
  const ir::Graph graph = emitter.finish({b.emit.convolution(in[0], in[1], a)});
  ir::Built legalized = legalize(graph, true, forms);
  ir::verify(legalized.graph);
  const std::string text = ir::to_text(legalized.graph);
  EXPECT_EQ(ir::to_text(ir::parse(text)), text);
  ir::Arguments arguments = {{x}, {}};
  (is_weight ? arguments.weights : arguments.inputs).push_back(kernel);
  const ir::Array wanted = ir::interpret(graph, arguments)[0];
  const ir::Array found = ir::interpret(legalized.graph, arguments)[0];
  EXPECT_EQ(found.type.shape, wanted.type.shape);
  long double worst = 0;
  for (std::size_t i = 0; i < wanted.elements.size(); ++i) {
    worst = std::max(worst, std::abs(found.elements.at(i) - wanted.elements[i]));
  }
  EXPECT_LT(worst, 1e-2L) << "sums of 144 products of numbers up to 5";
  return std::move(legalized.graph);
}

TEST(Legalize, WritesThreeByThreeTapsAsWinogradDid) {
  const ConvolutionAttributes plain = {{1, 1}, {1, 0}, {1, 2}, {1, 1}, {1, 1}, 1};
  for (const Shape& image : {Shape{1, 16, 9, 14}, Shape{2, 17, 8, 8}}) {
    const ir::Graph graph = three_by_three(image, plain);
    EXPECT_EQ(count<ir::WinogradInput>(graph), 1U);
    EXPECT_EQ(count<ir::PackedDot>(graph), 1U);
    EXPECT_EQ(count<ir::PackedConvolution>(graph) + count<ir::Pad>(graph), 0U);
  }
}

TEST(Legalize, WritesOtherConvolutionsAsTheyAre) {
  const ConvolutionAttributes plain = {{1, 1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 1};
  ConvolutionAttributes strided = plain;
  strided.stride = {2, 1};
  ConvolutionAttributes dilated = plain;
  dilated.kernel_dilation = {1, 2};
  ConvolutionAttributes grouped = plain;
  grouped.groups = 2;
  const Shape image = {1, 32, 12, 12};
  for (const ConvolutionAttributes& each : {strided, dilated, grouped}) {
    EXPECT_EQ(count<ir::WinogradInput>(three_by_three(image, each)), 0U);
  }
  EXPECT_EQ(count<ir::WinogradInput>(three_by_three({1, 32, 7, 7}, plain)), 0U) << "four tiles";
  EXPECT_EQ(count<ir::WinogradInput>(three_by_three({1, 8, 12, 12}, plain)), 0U) << "8 channels";
  EXPECT_EQ(count<ir::WinogradInput>(three_by_three(image, plain, /*is_weight=*/false)), 0U);
  EXPECT_EQ(count<ir::WinogradInput>(three_by_three(image, plain, true, {kAvx2, false})), 0U);
  EXPECT_EQ(count<ir::WinogradInput>(three_by_three(image, plain, true, {kAvx2, true})), 1U);
}

TEST(Legalize, NamesTheOperatorThatTvmCannotExpress) {
  ir::GraphEmitter emitter(true);
  emitter.begin_node("aten::div.Tensor", "model.py:9:5");
  const Tensor x = emitter.parameter(ir::ParameterSource::kInput, 0, {Type::kC64, {2}});
  const ir::Built legalized =
      legalize(emitter.finish({emitter.binary(lowering::Binary::kDivide, x, x)}), true);
  ASSERT_EQ(legalized.failures.size(), 1U);
  EXPECT_EQ(legalized.failures[0].op, "aten::div.Tensor");
}

}  // namespace legalize_test
}  // namespace graphnet::tvm
