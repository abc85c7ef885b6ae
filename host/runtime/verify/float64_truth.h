// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>

#include "base/dtype.h"
#include "verify/outcome_rule.h"

namespace graphnet::verify {

/// How far either side is from the same program run in float64. RMS over elements finite on all
/// three sides, without outsize ones.
struct Float64Errors {
  double plugin_rms = 0;  ///< sqrt(mean((plugin - truth)^2))
  double eager_rms = 0;   ///< sqrt(mean((eager - truth)^2))
  double truth_rms = 0;   ///< sqrt(mean(truth^2))
  double ratio = 1;       ///< plugin_rms / eager_rms; 1 if both are 0, infinity if only eager's is
  bool closer_than_eager = false;  ///< plugin_rms < eager_rms
  std::int64_t compared = 0;       ///< elements
  /// What kUsualErrorShare of eager's errors do not exceed (of fewer than 10,000 elements the
  /// largest). With element_excess and worst_index: only if an element is farther from eager than
  /// ElementRule::from_eager(); all 0 else.
  double usual_error = 0;
  double element_excess = 0;  ///< as TruthFacts
  std::int64_t worst_index = 0;

  /// What the rule asks; nothing if no element could be compared.
  std::optional<TruthFacts> facts() const;
};

/// shapes   eager, plugin: [count] of a dtype that has_float64_rule; truth: [count]
Float64Errors errors_against_float64(const ElementRule& rule, const void* eager, const void* plugin,
                                     const double* truth, std::int64_t count);

}  // namespace graphnet::verify
