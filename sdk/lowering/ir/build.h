// SPDX-License-Identifier: MIT
#pragma once

#include "graphnet/graph_view.h"
#include "lowering/ir/built.h"
#include "lowering/op_table.h"

namespace graphnet::lowering::ir {

/// The graph of a graph in normal form: inputs and weights by their index, frozen weights as
/// constants. Operators become primitives by their decomposition, or a composite where ops.def says
/// so. An operator that cannot be lowered is a composite without a body: a target may still have
/// it, and who finds it says why it has none.
///
/// unsupported  operators that have no decomposition for this target, each with its reason
/// rewrites     decompositions may change rounding and layout (Emitter::rewrites)
/// errors       failures: results of unknown element types
Built build(const gn_graph_body& body, bool rewrites,
            View<UnsupportedOp> unsupported = {nullptr, 0});

/// The operators without a body, for who reads a graph as it was built. A target finds them when it
/// rewrites the graph (passes/layout.h), together with what it cannot express itself.
std::vector<Failure> unlowered(const Graph& graph);

}  // namespace graphnet::lowering::ir
