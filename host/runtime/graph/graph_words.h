// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

#include "base/dtype.h"

namespace graphnet::graph {

/// "f32" for float32, as graph_text.h writes element types.
std::string_view short_name(base::DType dtype);
std::optional<base::DType> dtype_from_short_name(std::string_view name);

/// True if elements of this type are written as decimal numbers.
inline bool is_decimal(base::DType dtype) {
  return dtype == base::DType::kBool || base::is_integer(dtype);
}

}  // namespace graphnet::graph
