// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/dtype.h"
#include "verify/statistics.h"

namespace graphnet::verify {

inline constexpr int kNumSchedules = 4;  ///< float16, bfloat16, float32, float64
inline constexpr int kNumLevels = 16;    ///< t = -10 ... 5
inline constexpr int kNumUlpBins = 65;   ///< distances of 0 to 64 bits

/// What one pass over two arrays of equal dtype and length finds out.
struct Scan {
  bool all_equal = true;       ///< every pair == (a NaN differs from everything)
  bool constant = true;        ///< every element of eager equals its first (NaN equals NaN)
  bool only_subnormal = true;  ///< no element of eager is a normal number, infinite or NaN
  /// Per schedule the smallest level index that accepts every pair if NaN equals NaN, kNumLevels if
  /// none does. Levels grow with t and every rounding is monotone, so a level accepts whatever a
  /// smaller one does. If NaN equals nothing, one NaN anywhere fails them all (has_nan).
  std::array<int, kNumSchedules> smallest_level = {};
  double max_diff = 0;  ///< of float32 differences; NaN if any is NaN
  double sum_diff = 0;  ///< of float32 differences, added in float64

  ValueCounts eager;
  ValueCounts plugin;
  std::int64_t finite_pairs = 0;
  std::int64_t mask_mismatches = 0;
  std::int64_t differing = 0;  ///< neither == nor both NaN
  double max_error = 0;        ///< of float64 differences, here and below over finite pairs
  double sum_error = 0;
  double max_relative_error = 0;  ///< where eager is not 0
  /// Sums of (plugin - eager)^2, eager^2 and plugin^2, all multiplied by 2^square_scale, which
  /// is not 0 only where the squares would leave float64.
  double squared_error = 0;
  double squared_eager = 0;
  double squared_plugin = 0;
  int square_scale = 0;
  /// False: no element of eager is outsize (outcome_rule.h), which costs nothing to know of most
  /// outputs. True: it was not found out.
  bool may_have_outsize = true;
  std::array<std::int64_t, kNumUlpBins> ulp_histogram = {};  ///< see Statistics
  std::vector<WorstPair> worst;                              ///< see Statistics

  bool has_nan() const { return eager.nan + plugin.nan > 0; }
};

/// A real number of any dtype, or the modulus of a complex one: element `index` of an array.
double element_as_double(base::DType dtype, const void* data, std::int64_t index);

/// Elements begin ... begin + count - 1 of an array, converted as above.
///
/// shapes   out: [count]
void load_as_double(base::DType dtype, const void* data, std::int64_t begin, int count,
                    double* out);

/// Compares `count` elements in one pass; O(1) memory. `data` may be null if count is 0.
///
/// The 64 tolerance checks follow torch.isclose operation by operation, each rounded to the type
/// that torch computes it in: error = |plugin - eager|, allowed = atol + |rtol * eager|, accepted
/// if plugin == eager or the error is finite and <= allowed.
///
/// float32, float64    computed in that type; atol and rtol are converted to it: exactly as torch
/// float16, bfloat16   in float32, rounded to the type after each operation; atol is rounded to
///                     the type, rtol is float32 (torch adds and multiplies a scalar by different
///                     rules): exactly as torch
/// integers, bool      both sides converted to float32 (torch's default dtype): exactly as torch
/// complex             in the type of the parts, moduli by hypot, differences of the real parts
///                     only: as torch to a few units in the last place
///
/// Float loops run with AVX2 where the processor has it; the results are the same to the bit.
///
/// source   ATen/native/TensorCompare.cpp, isclose; BinaryOpsKernel.cpp for scalar operands
Scan scan_elements(base::DType dtype, const void* eager, const void* plugin, std::int64_t count);

/// What is reported of a scan.
Statistics statistics_of(base::DType dtype, const Scan& scan);

/// The parts of scan_elements, without the values of the worst pairs: real floating-point dtypes;
/// integers and bool (no relative error, no sums of products, only_subnormal means all zero);
/// complex dtypes (no ULP histogram, no dot product).
Scan scan_floats(base::DType dtype, const void* eager, const void* plugin, std::int64_t count);
/// As scan_floats, without the instructions that not every processor has.
Scan scan_floats_portably(base::DType dtype, const void* eager, const void* plugin,
                          std::int64_t count);
Scan scan_integers(base::DType dtype, const void* eager, const void* plugin, std::int64_t count);
Scan scan_complex(base::DType dtype, const void* eager, const void* plugin, std::int64_t count);

}  // namespace graphnet::verify
