// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "lowering/ir/array.h"

namespace graphnet::lowering::ir {

// Operations of the interpreter that only a target's rewrites write. `out`: the result's type. The
// caller rounds the results.

Array winograd_input(const WinogradInput& operation, const Array& x, const TensorType& out);
Array winograd_kernel(const WinogradKernel& operation, const Array& kernel, const TensorType& out);
Array winograd_output(const WinogradOutput& operation, const Array& sums, const TensorType& out);
/// Scores and weights are not rounded.
Array attention(const Attention& operation, const std::vector<const Array*>& operands,
                const TensorType& out);

}  // namespace graphnet::lowering::ir
