// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "lowering/ir/graph.h"
#include "lowering/lower_graph.h"

namespace graphnet::lowering::stablehlo {

/// A graph, or all operators that StableHLO cannot express.
struct Legalized {
  ir::Graph graph;  ///< empty if there are failures
  std::vector<Failure> failures;
};

/// The graph as XLA is fast at it, ready to print: memory layouts chosen, dimensions in order.
///
/// rewrites   Channels-last convolutions, depthwise convolutions as shifted multiply-adds, grouped
///            ones as dense blocks, kernels of one tap as matrix products. Without: the graph as it
///            is, transpositions where they were.
Legalized legalize(const ir::Graph& graph, bool rewrites);

}  // namespace graphnet::lowering::stablehlo
