// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/ir/graph.h"

namespace graphnet::lowering::ir {

/// Checks all that the graph's readers rely on: values are assigned once and before they are read,
/// results have the types that infer() gives, outputs exist, origins are in range.
///
/// errors   LoweringError that names the node by its position and operation
void verify(const Graph& graph);

}  // namespace graphnet::lowering::ir
