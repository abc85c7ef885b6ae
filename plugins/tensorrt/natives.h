// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "lowering/ir/graph.h"
#include "tensorrt/constants.h"
#include "tensorrt/network.h"

namespace graphnet::tensorrt {

/// Whether TensorRT has layers for the operator with these operands and arguments; else its body is
/// written.
bool is_native(const lowering::ir::Composite& composite, const std::vector<Tensor>& operands);

/// The layers of an operator that is_native(), and its first result.
///
/// shapes   operands: as the operator's, none of them stretched
Tensor write_native(Network& network, Constants& constants,
                    const lowering::ir::Composite& composite, const std::vector<Tensor>& operands);

}  // namespace graphnet::tensorrt
