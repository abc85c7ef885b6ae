// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/ir/array.h"

namespace graphnet::tests {

/// Small integers of both signs (of integer types: 0 and 1), few of them equal neighbours. Sums of
/// them are exact in any order.
inline lowering::ir::Array counted_array(const lowering::ir::TensorType& type) {
  const auto count = static_cast<std::size_t>(lowering::num_elements(type.shape));
  if (!lowering::is_float(type.type)) {
    std::vector<std::int64_t> elements;
    for (std::size_t i = 0; i < count; ++i) elements.push_back(static_cast<std::int64_t>(i % 2));
    return {type, std::move(elements)};
  }
  std::vector<double> elements;
  for (std::size_t i = 0; i < count; ++i) {
    elements.push_back(static_cast<double>(i * 7 % 11) - 5);
  }
  return {type, std::move(elements)};
}

}  // namespace graphnet::tests
