// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "lowering/ir/graph.h"
#include "tensorrt/constants.h"
#include "tensorrt/network.h"

namespace graphnet::tensorrt {

/// The layers of an operator that TensorRT has whole (natives.h), and its first result.
///
/// shapes   operands: as the operator's, none of them stretched
Tensor write_native(Network& network, Constants& constants,
                    const lowering::ir::Composite& composite, const std::vector<Tensor>& operands);

}  // namespace graphnet::tensorrt
