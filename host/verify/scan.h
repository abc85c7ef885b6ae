// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/dtype.h"

namespace graphnet::verify {

inline constexpr int kNumSchedules = 4;  ///< float16, bfloat16, float32, float64
inline constexpr int kNumLevels = 16;    ///< t = -10 ... 5

/// What one pass over two arrays of equal dtype and length finds out.
struct Scan {
  bool all_equal = true;       ///< every pair ==
  bool masks_equal = true;     ///< NaN, +Inf and -Inf at the same places
  bool constant = true;        ///< every element of eager equals its first (NaN equals NaN)
  bool only_subnormal = true;  ///< no element of eager is a normal number, infinite or NaN
  /// Per schedule the smallest level index that accepts every pair, kNumLevels if none does. Levels
  /// grow with t and every rounding is monotone, so a level accepts whatever a smaller one does.
  std::array<int, kNumSchedules> smallest_level = {};
  double max_diff = 0;  ///< of float32 differences; NaN if any is NaN
  double sum_diff = 0;  ///< of float32 differences, added in float64
  /// Sum of (plugin - eager)^2, and of eager^2, over pairs finite on both sides. Only their
  /// quotient means something: both are scaled by one power of two where the squares would leave
  /// float64.
  double squared_error = 0;
  double squared_eager = 0;
};

/// A real number of any dtype, or the modulus of a complex one: element `index` of an array.
double element_as_double(base::DType dtype, const void* data, std::int64_t index);

/// Compares `count` elements. `data` may be null if count is 0.
///
/// The 64 tolerance checks follow torch.isclose operation by operation, each rounded to the type
/// that torch computes it in: error = |plugin - eager|, allowed = atol + |rtol * eager|, accepted
/// if plugin == eager or the error is finite and <= allowed.
///
/// | dtype of the outputs | computed in | exactly as torch |
/// |----------------------|-------------|------------------|
/// | float32, float64     | that type; atol and rtol are converted to it | yes |
/// | float16, bfloat16    | float32, rounded to the type after each operation; atol and rtol
/// float32 | yes | | integers, bool       | both sides converted to float32 (torch's default dtype)
/// | yes | | complex              | float64, moduli by hypot; differences of the real parts only |
/// to a few ulp |
///
/// source   ATen/native/TensorCompare.cpp, isclose; BinaryOpsKernel.cpp for scalar operands
Scan scan_elements(base::DType dtype, const void* eager, const void* plugin, std::int64_t count);

/// The parts of scan_elements: real floating-point dtypes; integers and bool (sums of squares stay
/// 0, only_subnormal means all zero).
Scan scan_floats(base::DType dtype, const void* eager, const void* plugin, std::int64_t count);
Scan scan_integers(base::DType dtype, const void* eager, const void* plugin, std::int64_t count);

/// Row-major index of the pair that is most wrong: the first one whose NaN or Inf differ, else the
/// one with the largest |plugin - eager|. Nothing if all pairs are equal. A second pass, only for
/// messages.
std::optional<std::int64_t> worst_element(base::DType dtype, const void* eager, const void* plugin,
                                          std::int64_t count);

}  // namespace graphnet::verify
