// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "lowering/emitter.h"
#include "lowering/ir/graph.h"
#include "lowering/lower_graph.h"

namespace graphnet::lowering::ir {

/// A compiler's own value for an input or weight.
///
/// errors   LoweringError: it has no such elements; each node that reads the parameter fails
using MakeParameter = std::function<Tensor(const Parameter&, const TensorType&)>;

/// Hands every node of a graph to a compiler's emitter, in order. It continues after a failure, so
/// that it finds all of them; a failure names the operator that the node comes from. Nodes that
/// only lack the result of a failed one are not counted.
Lowered replay(const Graph& graph, Emitter& emitter, const MakeParameter& make_parameter);

}  // namespace graphnet::lowering::ir
