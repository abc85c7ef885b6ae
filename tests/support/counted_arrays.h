// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/ir/array.h"

namespace graphnet::tests {

/// Small integers of both signs (of integer types: 0 and 1), few of them equal neighbours. Sums of
/// them are exact in any order.
inline lowering::ir::Array counted_array(const lowering::ir::TensorType& type) {
  const auto count = static_cast<std::size_t>(lowering::num_elements(type.shape));
  const bool is_float = lowering::is_float(type.type);
  lowering::ir::Array array = {type, {}};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t value = is_float ? i * 7 % 11 : i % 2 + 5;
    array.elements.emplace_back(static_cast<long double>(value) - 5);
  }
  return array;
}

}  // namespace graphnet::tests
