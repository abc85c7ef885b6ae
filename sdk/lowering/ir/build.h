// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "graphnet/graph_view.h"
#include "lowering/ir/graph.h"
#include "lowering/lower_graph.h"
#include "lowering/op_table.h"

namespace graphnet::lowering::ir {

/// A graph, or all nodes that have none.
struct Built {
  Graph graph;  ///< empty if there are failures
  std::vector<Failure> failures;
};

/// The graph in primitives of a graph in normal form: inputs and weights by their index, frozen
/// weights as constants.
///
/// unsupported  operators that fail, each for its reason
/// rewrites     decompositions may change rounding and layout (Emitter::rewrites)
Built build(const gn_graph_body& body, bool rewrites,
            View<UnsupportedOp> unsupported = {nullptr, 0});

}  // namespace graphnet::lowering::ir
