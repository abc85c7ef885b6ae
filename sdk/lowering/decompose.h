// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/call.h"

namespace graphnet::lowering::decomposition {

/// The shared lowerings that ops.def names, each defined in the file of its family under
/// decompose/. Half types are computed in float32 and rounded once, as ATen's kernels do.
///
/// errors   LoweringError with the argument that is not covered
#define GN_OP(symbol, name, function) Tensors function(Call& call);
#include "lowering/ops.def"
#undef GN_OP

}  // namespace graphnet::lowering::decomposition
