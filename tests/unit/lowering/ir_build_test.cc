// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "graphnet/plugin.h"
#include "lowering/ir/build.h"
#include "lowering/ir/composite.h"
#include "lowering/ir/passes/layout.h"
#include "lowering/ir/passes/stage.h"
#include "lowering/ir/text.h"
#include "lowering/ir/verify.h"

namespace graphnet::lowering::ir {
namespace ir_build_test {

/// A graph of one node, named as an operator of one float32 input [extent] called self.
class OneNode {
 public:
  explicit OneNode(const std::string& op, std::int64_t extent = 2) : op_(op), extent_(extent) {
    argument_.struct_size = sizeof(argument_);
    argument_.name = to_gn("self");
    argument_.kind = GN_ARGUMENT_VALUE;
    argument_.integers = &kInput;
    argument_.count = 1;
    node_.struct_size = sizeof(node_);
    node_.op = to_gn(op_);
    node_.where = to_gn("model.py:4:5");
    node_.arguments = &argument_;
    node_.num_arguments = 1;
    node_.results = &kResult;
    node_.num_results = 1;
    for (gn_value& value : values_) {
      value.struct_size = sizeof(value);
      value.kind = &value == values_ ? GN_VALUE_INPUT : GN_VALUE_RESULT;
      value.dtype = {kDLFloat, 32, 1};
      value.rank = 1;
      value.shape = &extent_;
    }
    body_.struct_size = sizeof(body_);
    body_.values = values_;
    body_.num_values = 2;
    body_.nodes = &node_;
    body_.num_nodes = 1;
    body_.outputs = &kResult;
    body_.num_outputs = 1;
  }
  OneNode(const OneNode&) = delete;
  OneNode& operator=(const OneNode&) = delete;

  /// The graph as built.
  Graph build(View<UnsupportedOp> unsupported = {nullptr, 0}) const {
    Built built = ir::build(body_, /*rewrites=*/true, unsupported);
    EXPECT_TRUE(built.failures.empty()) << describe_failures(built.failures);
    verify(built.graph);
    EXPECT_EQ(to_text(parse(to_text(built.graph))), to_text(built.graph));
    return std::move(built.graph);
  }

  /// What a target without operators of its own gets.
  Built lower(View<UnsupportedOp> unsupported = {nullptr, 0}) const {
    LayoutEmitter target(/*rewrites=*/true);
    return rewrite(build(unsupported), target);
  }

 private:
  static constexpr std::int64_t kInput = 0;
  static constexpr std::int64_t kResult = 1;
  std::string op_;
  std::int64_t extent_;
  gn_argument argument_ = {};
  gn_node node_ = {};
  gn_value values_[2] = {};
  gn_graph_body body_ = {};
};

constexpr UnsupportedOp kNoExponential[] = {{Op::fft_rfft, "no transform"},
                                            {Op::exp, "no exponential"}};

TEST(IrBuild, LowersWhatIsNotListed) {
  const Built lowered = OneNode("aten::log").lower({kNoExponential, std::size(kNoExponential)});
  EXPECT_TRUE(lowered.failures.empty()) << describe_failures(lowered.failures);
  ASSERT_EQ(lowered.graph.outputs.size(), 1U);
  EXPECT_EQ(lowered.graph.type(lowered.graph.outputs[0]).shape, (Shape{2}));
  EXPECT_TRUE(OneNode("aten::exp").lower().failures.empty());
}

TEST(IrBuild, FailsWithTheReasonOfAnUnsupportedOperator) {
  const Built lowered = OneNode("aten::exp").lower({kNoExponential, std::size(kNoExponential)});
  EXPECT_TRUE(lowered.graph.outputs.empty());
  ASSERT_EQ(lowered.failures.size(), 1U);
  EXPECT_EQ(lowered.failures[0].op, "aten::exp");
  EXPECT_EQ(lowered.failures[0].where, "model.py:4:5");
  EXPECT_EQ(lowered.failures[0].reason, kNoExponential[1].reason);
}

TEST(IrBuild, FailsForAnOperatorWithoutADecomposition) {
  const Built lowered = OneNode("aten::no_such_operator").lower();
  ASSERT_EQ(lowered.failures.size(), 1U);
  EXPECT_EQ(lowered.failures[0].op, "aten::no_such_operator");
}

/// aten::upsample_linear1d of a float32 input [64, 64, 4] to 8 positions.
Graph resized() {
  const std::int64_t from[] = {64, 64, 4};
  const std::int64_t to[] = {64, 64, 8};
  const std::int64_t ids[] = {0, 1};
  gn_argument arguments[3] = {};
  const char* const names[] = {"self", "output_size", "align_corners"};
  const std::uint32_t kinds[] = {GN_ARGUMENT_VALUE, GN_ARGUMENT_INTS, GN_ARGUMENT_BOOL};
  gn_value values[2] = {};
  for (std::size_t i = 0; i < std::size(arguments); ++i) {
    arguments[i].struct_size = sizeof(arguments[i]);
    arguments[i].name = to_gn(names[i]);
    arguments[i].kind = kinds[i];
    arguments[i].integers = i == 0 ? ids : to + 2;
    arguments[i].count = 1;
  }
  for (std::size_t i = 0; i < std::size(values); ++i) {
    values[i].struct_size = sizeof(values[i]);
    values[i].kind = i == 0 ? GN_VALUE_INPUT : GN_VALUE_RESULT;
    values[i].dtype = {kDLFloat, 32, 1};
    values[i].rank = 3;
    values[i].shape = i == 0 ? from : to;
  }
  gn_node node = {};
  node.struct_size = sizeof(node);
  node.op = to_gn("aten::upsample_linear1d");
  node.where = to_gn("model.py:4:5");
  node.arguments = arguments;
  node.num_arguments = std::size(arguments);
  node.results = ids + 1;
  node.num_results = 1;
  gn_graph_body body = {};
  body.struct_size = sizeof(body);
  body.values = values;
  body.num_values = std::size(values);
  body.nodes = &node;
  body.num_nodes = 1;
  body.outputs = ids + 1;
  body.num_outputs = 1;
  Built built = build(body, /*rewrites=*/true);
  EXPECT_TRUE(built.failures.empty()) << describe_failures(built.failures);
  return std::move(built.graph);
}

// A target stores what depends on constants alone, and reads it in every call.
TEST(IrBuild, WeightsOfAResizedDimensionAreAsLongAsIt) {
  LayoutEmitter target(/*rewrites=*/true);
  const Graph graph = rewrite(resized(), target).graph;
  const std::vector<Stage> stages = stages_of(graph);
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < graph.values.size(); ++i) {
    const auto id = static_cast<ValueId>(i);
    const Operation& operation = graph.maker(id).operation;
    if (stages[i] == Stage::kCall || std::holds_alternative<Broadcast>(operation)) continue;
    longest = std::max(longest, num_elements(graph.type(id).shape));
  }
  EXPECT_EQ(longest, 8);
}

/// Takes hardswish of tensors of up to four elements.
class Picky final : public LayoutEmitter {
 public:
  using LayoutEmitter::LayoutEmitter;
  std::optional<std::vector<Tensor>> composite(const Composite& each,
                                               const std::vector<Tensor>& operands) override {
    static constexpr Native kNative[] = {
        {"aten::hardswish", [](const Composite& one, const std::vector<Tensor>& in) {
           return argument_of(one, "self").name == "self" && num_elements(in[0].shape) <= 4;
         }}};
    if (!is_native({kNative, std::size(kNative)}, each, operands)) return std::nullopt;
    return nodes(each, operands);
  }
};

bool has_composite(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) {
    return std::holds_alternative<Composite>(node.operation);
  });
}

TEST(IrBuild, KeepsAnOperatorWholeForATargetThatTakesIt) {
  const Graph graph = OneNode("aten::hardswish").build();
  EXPECT_TRUE(has_composite(graph));
  Picky picky(/*rewrites=*/true);
  EXPECT_TRUE(has_composite(rewrite(graph, picky).graph));
  const Built plain = OneNode("aten::hardswish").lower();
  EXPECT_FALSE(has_composite(plain.graph));
  EXPECT_GT(plain.graph.nodes.size(), 2U);
  for (const Node& node : plain.graph.nodes) {
    if (node.origin < 0) continue;
    EXPECT_EQ(plain.graph.origins[static_cast<std::size_t>(node.origin)].op, "aten::hardswish");
  }
}

TEST(IrBuild, DecomposesAnOperatorThatThePredicateRefuses) {
  const Graph graph = OneNode("aten::hardswish", 5).build();
  Picky picky(/*rewrites=*/true);
  const Built lowered = rewrite(graph, picky);
  EXPECT_TRUE(lowered.failures.empty()) << describe_failures(lowered.failures);
  EXPECT_FALSE(has_composite(lowered.graph));
}

TEST(IrBuild, ATargetMayTakeWhatHasNoDecomposition) {
  const Graph graph = OneNode("aten::hardswish").build();
  Graph without = graph;
  auto& composite = std::get<Composite>(without.nodes.back().operation);
  composite.body.reset();
  composite.why_not = "it has no \"decomposition\"";
  EXPECT_EQ(to_text(parse(to_text(without))), to_text(without));
  Picky picky(/*rewrites=*/true);
  EXPECT_TRUE(rewrite(without, picky).failures.empty());
  LayoutEmitter plain(/*rewrites=*/true);
  const Built refused = rewrite(without, plain);
  ASSERT_EQ(refused.failures.size(), 1U);
  EXPECT_EQ(refused.failures[0].reason, composite.why_not);
}

}  // namespace ir_build_test
}  // namespace graphnet::lowering::ir
