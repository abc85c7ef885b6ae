// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "lowering/ir/graph.h"

namespace graphnet::tvm {

/// One step between the product and the softmax of attention, or behind it.
struct MatchedStep {
  lowering::ir::AttentionStep kind = lowering::ir::AttentionStep::kAdd;
  lowering::ir::ValueId operand = -1;  ///< has the shape of the scores at that step
  bool is_divisor = false;             ///< kMultiply by 1 / operand, which is a splat
};

/// Attention in a legalised graph.
struct MatchedAttention {
  lowering::ir::ValueId queries = -1;
  lowering::ir::ValueId keys = -1;
  lowering::ir::ValueId values = -1;
  std::vector<MatchedStep> steps;  ///< in the order in which they are taken
  double fill = 0;
  bool is_safe = false;
};

/// By value: the nodes that read it, and one that stands for the graph's outputs.
std::vector<std::vector<std::int32_t>> readers_of(const lowering::ir::Graph& graph);

/// The attention whose second product is this node. Nothing else reads a value inside of it.
///
/// readers   of the graph
std::optional<MatchedAttention> match_attention(
    const lowering::ir::Graph& graph, const std::vector<std::vector<std::int32_t>>& readers,
    const lowering::ir::Node& product);

}  // namespace graphnet::tvm
