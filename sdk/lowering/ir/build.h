// SPDX-License-Identifier: MIT
#pragma once

#include "graphnet/graph_view.h"
#include "lowering/ir/built.h"
#include "lowering/op_table.h"

namespace graphnet::lowering::ir {

/// The graph in primitives of a graph in normal form: inputs and weights by their index, frozen
/// weights as constants.
///
/// unsupported  operators that fail, each for its reason
/// rewrites     decompositions may change rounding and layout (Emitter::rewrites)
Built build(const gn_graph_body& body, bool rewrites,
            View<UnsupportedOp> unsupported = {nullptr, 0});

}  // namespace graphnet::lowering::ir
