// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"

namespace graphnet::eager {

/// What one node works on, from shapes alone. Calls that may give views count nothing.
struct NodeCost {
  double flop = 0;                 ///< as flop_count.h
  std::int64_t read_bytes = 0;     ///< of its tensors, dense
  std::int64_t written_bytes = 0;  ///< of its results, dense
};

/// order    one per node; a graph of calls that write to their arguments will do
/// errors   kInternal for a graph that breaks its rules
base::Result<std::vector<NodeCost>> node_costs(const graph::Graph& graph);

}  // namespace graphnet::eager
