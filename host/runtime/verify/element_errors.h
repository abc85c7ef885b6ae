// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "base/dtype.h"
#include "verify/outcome_rule.h"
#include "verify/scan.h"

namespace graphnet::verify {

/// Errors of an output's elements one by one, over those finite on both sides.
struct ElementErrors {
  ElementRule rule;
  std::int64_t outsize = 0;  ///< elements of eager
  /// ||plugin - eager|| / ||eager|| without outsize elements; 0 if both norms are 0, infinity if
  /// only eager's is.
  double relative_rms = 0;
  /// Largest |plugin - eager| / RMS of eager; of an outsize element / |eager|.
  double largest = 0;
  /// Largest |plugin - eager| / ElementRule::from_eager(); where all are within it, it may be an
  /// upper bound.
  double excess = 0;
  std::int64_t worst_index = -1;  ///< row-major, of `excess`; -1 where that is an upper bound
};

/// What the scan of the same arrays did not settle costs one or two passes more: outsize elements,
/// or a largest error that might be too large. Complex numbers as their parts.
///
/// shapes   eager, plugin: [count] of a floating-point or complex dtype
ElementErrors element_errors(const Scan& scan, base::DType dtype, const void* eager,
                             const void* plugin, std::int64_t count);

/// Median magnitude of the elements that are finite, not 0 and below the largest magnitude, exactly
/// (of an even number the upper one); 0 if there is none. Copies them.
///
/// shapes   data: [count] of a real floating-point dtype
double median_magnitude(base::DType dtype, const void* data, std::int64_t count);

}  // namespace graphnet::verify
