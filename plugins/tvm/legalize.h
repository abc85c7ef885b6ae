// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "lowering/ir/graph.h"
#include "lowering/lower_graph.h"

namespace graphnet::tvm {

/// Floats of one vector of the processors that rules are written for.
inline constexpr std::int64_t kLanes = 16;

/// A graph, or all operators that TVM has no type or operation for.
struct Legalized {
  lowering::ir::Graph graph;  ///< empty if there are failures
  std::vector<lowering::Failure> failures;
};

/// The graph in the forms that the schedule rules know: products as [batch, rows, depth] times
/// [batch, depth, columns], convolutions channels-last on what is padded already, depthwise ones
/// with kernels [taps..., 1, out].
///
/// rewrites   Right sides of products become panels too, and transpositions move to where two
///            layouts meet. Without, the graph stays as it is.
Legalized legalize(const lowering::ir::Graph& graph, bool rewrites);

}  // namespace graphnet::tvm
