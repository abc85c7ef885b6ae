// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/ir/graph.h"

namespace graphnet::lowering::ir {

/// By value.
std::vector<Stage> stages_of(const Graph& graph);

/// A graph in two: what is computed once from weights, and what is computed per call.
struct StagedGraph {
  /// Reads weights alone. Output i is what parameter i of source kBound of `call` stands for.
  /// Without outputs: no value depends on weights alone.
  Graph bind;
  Graph call;
};

/// Moves everything that depends on weights alone to a graph of its own, except what is cheaper to
/// compute again per call than to read: broadcasts, reshapes and slices of what bind computes.
StagedGraph split_by_stage(Graph graph);

}  // namespace graphnet::lowering::ir
