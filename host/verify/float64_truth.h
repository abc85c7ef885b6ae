// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "base/dtype.h"

namespace graphnet::verify {

/// How far either side is from the same program run in float64. RMS over elements finite on all
/// three sides.
struct Float64Errors {
  double plugin_rms = 0;  ///< sqrt(mean((plugin - truth)^2))
  double eager_rms = 0;   ///< sqrt(mean((eager - truth)^2))
  double truth_rms = 0;   ///< sqrt(mean(truth^2))
  double ratio = 1;       ///< plugin_rms / eager_rms; 1 if both are 0, infinity if only eager's is
  bool closer_than_eager = false;  ///< plugin_rms < eager_rms
  /// plugin_rms <= kEagerErrorFactor * eager_rms, and something was compared.
  bool accepted = false;
  /// An output of zeros would be accepted too: eager itself is mostly error, so accepting proves
  /// nothing.
  bool accepts_zeros = false;
};

/// shapes   eager, plugin: [count] of a dtype that has_float64_rule; truth: [count]
Float64Errors errors_against_float64(base::DType dtype, const void* eager, const void* plugin,
                                     const double* truth, std::int64_t count);

}  // namespace graphnet::verify
