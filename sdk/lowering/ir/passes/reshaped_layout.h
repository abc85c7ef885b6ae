// SPDX-License-Identifier: MIT
#pragma once

#include <optional>

#include "lowering/tensor.h"

namespace graphnet::lowering::ir {

/// The layout that `shape` has when the memory of x is reshaped in place; nothing if dimensions of
/// x that become one do not lie side by side.
///
/// shapes   x: with a layout and at least one element; shape: as many elements
std::optional<Shape> reshaped_layout(const Tensor& x, const Shape& shape);

}  // namespace graphnet::lowering::ir
