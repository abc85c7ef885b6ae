// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "lowering/tensor.h"

namespace graphnet::lowering::stablehlo {

/// "1, 2, 3".
std::string join(const Shape& values);
/// "f32", "i1", "complex<f32>".
std::string element_text(Type type);
/// "tensor<1x64xf32>".
std::string type_text(Type type, const Shape& shape);
/// How elements are compared: "FLOAT", "SIGNED" or "UNSIGNED".
const char* comparison_type(Type type);
/// One number as an MLIR literal: floats as bit patterns (exact, and "1e-5" would not parse),
/// integers in decimal.
///
/// errors   LoweringError for half and complex types, which the emitter converts from float32
std::string literal(Type type, double value);
/// Elements as the inside of dense<...>; a splat where all are equal. Not for i1 with mixed values.
///
/// shapes   data: `count` elements
std::string dense_text(Type type, std::int64_t count, const void* data);

}  // namespace graphnet::lowering::stablehlo
