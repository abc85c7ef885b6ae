// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "lowering/emitter.h"
#include "lowering/failures.h"
#include "lowering/ir/graph.h"

namespace graphnet::lowering::ir {

/// Outputs of a graph, or all its failures.
struct Lowered {
  std::vector<Tensor> outputs;  ///< in the order of the signature; empty if there are failures
  std::vector<Failure> failures;
};

/// A compiler's own value for an input or weight.
///
/// errors   LoweringError: it has no such elements; each node that reads the parameter fails
using MakeParameter = std::function<Tensor(const Parameter&, const TensorType&)>;

/// Hands every node of a graph to a compiler's emitter, in order; of a composite that the emitter
/// does not take, the nodes of its body. It continues after a failure, so
/// that it finds all of them; a failure names the operator that the node comes from. Nodes that
/// only lack the result of a failed one are not counted.
Lowered replay(const Graph& graph, Emitter& emitter, const MakeParameter& make_parameter);

}  // namespace graphnet::lowering::ir
