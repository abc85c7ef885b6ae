// SPDX-License-Identifier: MIT
#include "lowering/lower_graph.h"

#include <gtest/gtest.h>

#include <iterator>
#include <string>

#include "graphnet/plugin.h"
#include "lowering/ir/graph_emitter.h"

namespace graphnet::lowering {
namespace {

/// A graph of one node, named as an operator of one float32 input [2] called self.
class OneNode {
 public:
  explicit OneNode(const std::string& op) : op_(op) {
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
      value.shape = &kExtent;
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

  Lowered lower(View<UnsupportedOp> unsupported) const {
    ir::GraphEmitter emitter(/*rewrites=*/true);
    return lower_graph(body_, emitter, emitter.add_parameters(body_), unsupported);
  }

 private:
  static constexpr std::int64_t kInput = 0;
  static constexpr std::int64_t kResult = 1;
  static constexpr std::int64_t kExtent = 2;
  std::string op_;
  gn_argument argument_ = {};
  gn_node node_ = {};
  gn_value values_[2] = {};
  gn_graph_body body_ = {};
};

constexpr UnsupportedOp kNoExponential[] = {{Op::fft_rfft, "no transform"},
                                            {Op::exp, "no exponential"}};

TEST(LowerGraph, LowersWhatIsNotListed) {
  const Lowered lowered = OneNode("aten::log").lower({kNoExponential, std::size(kNoExponential)});
  EXPECT_TRUE(lowered.failures.empty()) << describe_failures(lowered.failures);
  ASSERT_EQ(lowered.outputs.size(), 1U);
  EXPECT_EQ(lowered.outputs[0].shape, (Shape{2}));
  EXPECT_TRUE(OneNode("aten::exp").lower({nullptr, 0}).failures.empty());
}

TEST(LowerGraph, FailsWithTheReasonOfAnUnsupportedOperator) {
  const Lowered lowered = OneNode("aten::exp").lower({kNoExponential, std::size(kNoExponential)});
  EXPECT_TRUE(lowered.outputs.empty());
  ASSERT_EQ(lowered.failures.size(), 1U);
  EXPECT_EQ(lowered.failures[0].op, "aten::exp");
  EXPECT_EQ(lowered.failures[0].where, "model.py:4:5");
  EXPECT_EQ(lowered.failures[0].reason, kNoExponential[1].reason);
}

TEST(LowerGraph, FailsForAnOperatorWithoutADecomposition) {
  const Lowered lowered = OneNode("aten::no_such_operator").lower({nullptr, 0});
  ASSERT_EQ(lowered.failures.size(), 1U);
  EXPECT_EQ(lowered.failures[0].op, "aten::no_such_operator");
}

}  // namespace
}  // namespace graphnet::lowering
