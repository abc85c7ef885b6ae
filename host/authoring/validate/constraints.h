// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace graphnet::validate {

/// The shape that input_tensor_constraints.py gives for a tensor, its symbols replaced by their
/// example values.
struct ShapeConstraint {
  std::string name;
  std::vector<std::int64_t> shape;
  std::vector<std::string> symbols;  ///< by extent, "S0"; empty: a number
  std::int32_t line = 0;
};

/// Reads an input_tensor_constraints.py; an empty file has no constraints.
///
/// order    file order
/// errors   kInput "file:line:column": a symbol without an example value, an extent that is neither
///          a number nor a symbol, anything that upstream does not write there
/// source   GraphNet dynamic_dim_constraints
base::Result<std::vector<ShapeConstraint>> parse_constraints(std::string_view text,
                                                             const std::string& file);

}  // namespace graphnet::validate
