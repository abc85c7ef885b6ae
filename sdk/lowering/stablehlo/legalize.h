// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/ir/built.h"

namespace graphnet::lowering::stablehlo {

/// The graph as XLA is fast at it, ready to print: memory layouts chosen, dimensions in order. Or
/// all operators that StableHLO cannot express.
///
/// rewrites   Channels-last convolutions, depthwise convolutions as shifted multiply-adds, grouped
///            ones as dense blocks, kernels of one tap as matrix products. Without: the graph as it
///            is, transpositions where they were.
ir::Built legalize(const ir::Graph& graph, bool rewrites);

}  // namespace graphnet::lowering::stablehlo
