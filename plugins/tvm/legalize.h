// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "lowering/ir/built.h"

namespace graphnet::tvm {

/// Floats of one vector of the processors that rules are written for.
inline constexpr std::int64_t kLanes = 16;

/// The graph in the forms that the schedule rules know: products as [batch, rows, depth] times
/// [batch, depth, columns], convolutions channels-last on what is padded already, depthwise ones
/// with kernels [taps..., 1, out]. Or all operators that TVM has no type or operation for.
///
/// rewrites   Right sides of products become panels too, and transpositions move to where two
///            layouts meet. Without, the graph stays as it is.
lowering::ir::Built legalize(const lowering::ir::Graph& graph, bool rewrites);

}  // namespace graphnet::tvm
