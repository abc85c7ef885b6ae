// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/dtype.h"

namespace graphnet::base {

/// One of upstream's 64 tolerance checks.
struct ToleranceLevel {
  int t = 0;       ///< -10 ... 5
  DType schedule;  ///< float16, bfloat16, float32, float64
  double atol = 0;
  double rtol = 0;
  std::string label;  ///< "all_close_atol_1.00E-10_rtol_1.00E-06"
};

/// order    t ascending, within t float16, bfloat16, float32, float64 (upstream's print order)
/// source   GraphNet bench tolerance schedule: values rounded to 3 significant digits
const std::vector<ToleranceLevel>& tolerance_levels();

}  // namespace graphnet::base
