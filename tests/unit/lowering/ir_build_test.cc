// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>

#include "graphnet/plugin.h"
#include "lowering/ir/build.h"
#include "lowering/ir/composite.h"
#include "lowering/ir/passes/layout.h"
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
