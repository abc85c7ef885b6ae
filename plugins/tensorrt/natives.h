// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "lowering/ir/graph.h"
#include "lowering/tensor.h"

namespace graphnet::tensorrt {

/// Whether TensorRT has layers for the operator with these operands and arguments; else its body is
/// written.
bool is_native(const lowering::ir::Composite& composite,
               const std::vector<lowering::Tensor>& operands);

}  // namespace graphnet::tensorrt
