// SPDX-License-Identifier: MIT
#pragma once

#include "base/dtype.h"

namespace graphnet::verify {

/// Bools and integers: equal to the bit, or judged by what they select.
inline bool is_exact(base::DType dtype) {
  return dtype == base::DType::kBool || base::is_integer(dtype);
}

/// Largest relative RMS error of an accepted output; complex numbers as their parts.
///
/// source   DESIGN 4
inline double rms_limit(base::DType dtype) {
  switch (dtype) {
    case base::DType::kFloat16:
      return 2e-2;
    case base::DType::kBFloat16:
      return 8e-2;
    case base::DType::kFloat64:
    case base::DType::kComplex128:
      return 1e-6;
    default:
      return 1e-3;
  }
}

/// An output farther from eager than rms_limit is accepted if its RMS error against float64 is at
/// most this many times eager's own.
///
/// source   DESIGN 4; torch's benchmarks use 2 to 10
inline constexpr double kEagerErrorFactor = 3;

/// Whether that half of the rule exists for a dtype: float16, bfloat16, float32. A float64 output
/// has no better truth than itself.
inline bool has_float64_rule(base::DType dtype) {
  return base::is_floating(dtype) && dtype != base::DType::kFloat64;
}

}  // namespace graphnet::verify
