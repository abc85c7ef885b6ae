// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"

namespace graphnet::verify {

/// A dense row-major tensor, borrowed.
///
/// shapes   data: [prod(shape)] elements of dtype; may be null if there are no elements
struct TensorView {
  base::DType dtype = base::DType::kFloat32;
  std::vector<std::int64_t> shape;
  const void* data = nullptr;
};

/// Comparison of one output of the plugin with eager's.
struct OutputComparison {
  bool shape_equal = false;
  bool dtype_equal = false;
  bool masks_equal = true;  ///< NaN, +Inf and -Inf at the same places
  bool bit_equal = false;   ///< upstream's `equal`: same shape and every element == (NaN differs)
  /// Upstream's 64 all_close results, in the order of tolerance_levels(); empty if shape or dtype
  /// differ.
  std::vector<bool> all_close;
  /// Upstream's float32 differences; nothing if not computed (shape or dtype differs, no element).
  /// The mean is added in float64: torch's float32 sum differs from it by a few units in the last
  /// place, in an order that depends on the processor.
  std::optional<float> max_diff;
  std::optional<float> mean_diff;
  /// ||plugin - eager|| / ||eager|| over elements finite on both sides, in float64; 0 if both norms
  /// are 0, infinity if only eager's is. Nothing for integers and bools.
  std::optional<double> relative_rms;
  /// Eager is constant (two or more elements, all equal) or has no normal number (zeros and
  /// subnormals only, or no element at all).
  bool degenerate = false;
  bool within_tolerance = false;                ///< by DESIGN's outcome rule, for this output
  std::optional<std::int64_t> first_bad_index;  ///< row-major, of the largest error if not within
};

struct Comparison {
  /// "ok", "accuracy_mismatch", "shape_mismatch", "dtype_mismatch", "count_mismatch",
  /// "non_finite": the worst over all outputs, structural failures first.
  std::string outcome;
  /// One sentence about the first output with that outcome; empty for ok.
  std::string message;
  bool degenerate = false;  ///< every output is degenerate: the check is no evidence
  std::vector<OutputComparison> outputs;
};

/// Compares all outputs under the outcome rule: same count, shape, dtype, NaN and Inf masks;
/// integers and bools exact; relative RMS error <= 1e-3 (float32), 1e-6 (float64), 2e-2 (float16),
/// 8e-2 (bfloat16); complex as their parts.
///
/// One pass over the elements, plus one to find the worst one if an output fails; no copies. About
/// 0.1 s for 100 MB of float32 and 0.3 s of float16 on one core.
///
/// source   outcome rule: DESIGN 4; all_close, max and mean difference: GraphNet bench 2.5, 2.6
Comparison compare_outputs(const std::vector<TensorView>& eager,
                           const std::vector<TensorView>& plugin);

/// One of upstream's 64 tolerance checks.
struct ToleranceLevel {
  int t = 0;             ///< -10 ... 5
  base::DType schedule;  ///< float16, bfloat16, float32, float64
  double atol = 0;
  double rtol = 0;
  std::string label;  ///< "all_close_atol_1.00E-10_rtol_1.00E-06"
};

/// order    t ascending, within t float16, bfloat16, float32, float64 (upstream's print order)
/// source   GraphNet bench tolerance schedule: values rounded to 3 significant digits
const std::vector<ToleranceLevel>& tolerance_levels();

}  // namespace graphnet::verify
