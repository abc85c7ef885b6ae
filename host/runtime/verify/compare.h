// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/tolerance.h"
#include "record/outcome.h"
#include "verify/element_errors.h"
#include "verify/float64_truth.h"
#include "verify/indices.h"
#include "verify/outcome_rule.h"
#include "verify/statistics.h"
#include "verify/tensor_view.h"

namespace graphnet::verify {

/// What else is known of one output.
struct OutputContext {
  /// The output of the same program run in float64, dense, row-major; null if not known. Used for
  /// float16, bfloat16 and float32 only.
  const double* float64 = nullptr;
  /// What the indices of an integer output select from; nothing if it holds plain integers.
  std::optional<IndexSource> indices;
};

/// Why an output that is right is no evidence for the plugin, decided from eager's output. It is
/// compared all the same.
enum class Evidence : std::uint8_t {
  kLends,           ///< it says something
  kEmpty,           ///< no element
  kNaN,             ///< NaN, be it one
  kConstant,        ///< two or more elements, all equal
  kSubnormal,       ///< no normal number: zeros and subnormals only
  kIllConditioned,  ///< eager itself is too far from float64 (eager_error_limit), where that is
                    ///< known
};

/// "", "empty", "nan", "constant", "subnormal", "ill_conditioned".
const char* evidence_name(Evidence evidence);

/// Comparison of one output of the plugin with eager's.
struct OutputComparison {
  bool shape_equal = false;
  bool dtype_equal = false;
  bool masks_equal = true;  ///< NaN, +Inf and -Inf at the same elements
  bool bit_equal = false;   ///< upstream's `equal`: same shape and every element == (NaN differs)
  bool nan_equal = false;   ///< the same if NaN equals NaN
  /// Upstream's 64 all_close results, in the order of tolerance_levels(), where a NaN fails; empty
  /// if shape or dtype differ.
  std::vector<bool> all_close;
  std::vector<bool> all_close_nan_equal;  ///< the same if NaN equals NaN
  /// Upstream's float32 differences; nothing if not computed (shape or dtype differs, no element).
  /// The mean is added in float64: torch's float32 sum differs from it by a few units in the last
  /// place, in an order that depends on the processor.
  std::optional<float> max_diff;
  std::optional<float> mean_diff;
  /// ||plugin - eager|| / ||eager|| over elements finite on both sides but outsize ones, in
  /// float64; 0 if both norms are 0, infinity if only eager's is. Nothing for integers and bools.
  std::optional<double> relative_rms;
  std::optional<ElementErrors> elements;        ///< floats and complex numbers
  std::optional<Statistics> statistics;         ///< nothing if shape or dtype differ, or no data
  std::optional<Float64Errors> float64_errors;  ///< if the truth was given
  std::optional<IndexJudgement> indices;        ///< if a source was given and indices differ
  Evidence evidence = Evidence::kEmpty;
  Acceptance acceptance = Acceptance::kNone;    ///< by the outcome rule
  std::optional<std::int64_t> first_bad_index;  ///< row-major, of the worst pair if not accepted

  bool within_tolerance() const { return acceptance != Acceptance::kNone; }
  bool lends_evidence() const { return evidence == Evidence::kLends; }
};

struct Comparison {
  /// One that is compared (OutcomeFacts::is_compared): the worst over all outputs in the order
  /// count, dtype, shape, masks, values.
  record::Outcome outcome = record::Outcome::kNone;
  /// One sentence about the first output with that outcome; empty for ok.
  std::string message;
  bool degenerate = false;    ///< no output lends evidence
  double evidence_share = 0;  ///< of the outputs; 0 without outputs
  std::vector<OutputComparison> outputs;
};

/// Compares all outputs under the outcome rule: same count, dtype and shape (no broadcasting), and
/// what decide() says of each output; NaN equals NaN.
///
/// One pass over the elements; no copies. One or two more passes where the sums do not settle a
/// difference, and one or two with a float64 truth.
///
/// shapes   contexts: one per output; fewer or none if nothing else is known of the rest
/// source   outcome rule: outcome_rule.h; all_close, max and mean difference: GraphNet
/// bench 2.5, 2.6
Comparison compare_outputs(const std::vector<TensorView>& eager,
                           const std::vector<TensorView>& plugin,
                           const std::vector<OutputContext>& contexts = {});

/// Outcome and message anew, after an output's acceptance was changed.
///
/// shapes   as compare_outputs(), which made the comparison
void settle_outcome(const std::vector<TensorView>& eager, const std::vector<TensorView>& plugin,
                    Comparison& comparison);

using base::tolerance_levels;
using base::ToleranceLevel;

}  // namespace graphnet::verify
