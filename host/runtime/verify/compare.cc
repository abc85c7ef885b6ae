// SPDX-License-Identifier: MIT
#include "verify/compare.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"
#include "verify/outcome_rule.h"
#include "verify/scan.h"

namespace graphnet::verify {

namespace {

using base::DType;
using record::Outcome;

std::string type_text(const TensorView& view) {
  return std::string(base::dtype_name(view.dtype)) + " " + base::shape_text(view.shape);
}

// Two digits in the form 3.1e-2; 1e-3 without a fraction.
std::string short_number(double value) {
  if (!std::isfinite(value)) return std::isnan(value) ? "nan" : "infinity";
  char text[32];
  std::snprintf(text, sizeof text, "%.1e", value);
  const std::string mantissa(text, 3);
  const int exponent = std::atoi(text + 4);
  return (mantissa.substr(1) == ".0" ? mantissa.substr(0, 1) : mantissa) + "e" +
         std::to_string(exponent);
}

// "3.1".
std::string factor_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value < 1000 ? "%.2g" : "%.1e", value);
  return text;
}

std::string element_text(const TensorView& view, std::int64_t index) {
  if (view.dtype == DType::kInt64) {
    return std::to_string(static_cast<const std::int64_t*>(view.data)[index]);
  }
  if (view.dtype == DType::kBool) {
    return static_cast<const std::uint8_t*>(view.data)[index] != 0 ? "true" : "false";
  }
  char text[32];
  const int digits = view.dtype == DType::kFloat64 ? 17 : 9;
  std::snprintf(text, sizeof text, "%.*g", digits, element_as_double(view.dtype, view.data, index));
  return text;
}

// A single number may be anything; a single zero is what a plugin that does nothing returns.
Evidence evidence_of(const Scan& scan, std::int64_t count) {
  if (count == 0) return Evidence::kEmpty;
  if (scan.eager.nan > 0) return Evidence::kNaN;
  if (scan.constant && count > 1) return Evidence::kConstant;
  return scan.only_subnormal ? Evidence::kSubnormal : Evidence::kLends;
}

void fill_from_scan(const TensorView& eager, const Scan& scan, std::int64_t count,
                    OutputComparison& result) {
  result.masks_equal = scan.mask_mismatches == 0;
  result.bit_equal = scan.all_equal;
  result.nan_equal = scan.differing == 0;
  result.all_close.reserve(std::size_t{kNumLevels} * kNumSchedules);
  result.all_close_nan_equal.reserve(std::size_t{kNumLevels} * kNumSchedules);
  for (int level = 0; level < kNumLevels; ++level) {
    for (const int smallest : scan.smallest_level) {
      result.all_close_nan_equal.push_back(level >= smallest);
      result.all_close.push_back(level >= smallest && !scan.has_nan());
    }
  }
  if (count > 0) {
    result.max_diff = static_cast<float>(scan.max_diff);
    // torch adds in float32: its sum overflows where a float64 one does not.
    result.mean_diff = static_cast<float>(scan.sum_diff) / static_cast<float>(count);
  }
  result.statistics = statistics_of(eager.dtype, scan);
  result.evidence = evidence_of(scan, count);
}

void measure_selection(const TensorView& eager, const TensorView& plugin,
                       const OutputContext& context, OutputFacts& facts, OutputComparison& result) {
  facts.values_equal = result.bit_equal;
  if (result.bit_equal || !context.indices) return;
  result.indices = judge_indices(eager, plugin, *context.indices);
  facts.selects_the_same = result.indices->accepted;
}

void measure_errors(const TensorView& eager, const TensorView& plugin, const OutputContext& context,
                    const Scan& scan, OutputFacts& facts, OutputComparison& result) {
  const std::int64_t count = count_of(eager);
  result.elements = element_errors(scan, eager.dtype, eager.data, plugin.data, count);
  result.relative_rms = result.elements->relative_rms;
  facts.relative_rms = result.elements->relative_rms;
  facts.element_excess = result.elements->excess;
  if (context.float64 == nullptr || !has_float64_rule(eager.dtype)) return;
  result.float64_errors = errors_against_float64(result.elements->rule, eager.data, plugin.data,
                                                 context.float64, count);
  facts.truth = result.float64_errors->facts();
  const bool is_ill = facts.truth && is_ill_conditioned(eager.dtype, *facts.truth);
  if (is_ill && result.lends_evidence()) result.evidence = Evidence::kIllConditioned;
}

// Where a reader should look: a wrong mask, the worst index, else the element that is worst by the
// rule, if single elements are the matter, else the largest error.
std::optional<std::int64_t> bad_index(const OutputComparison& result, const Scan& scan) {
  if (result.indices) return result.indices->worst_index;
  const auto& elements = result.elements;
  const bool by_element = elements && (elements->outsize > 0 ||
                                       elements->relative_rms <= rms_limit(elements->rule.dtype));
  if (result.masks_equal && by_element && elements->worst_index >= 0) {
    const auto& truth = result.float64_errors;
    return truth && truth->element_excess > 1 ? truth->worst_index : elements->worst_index;
  }
  if (scan.worst.empty()) return std::nullopt;
  return scan.worst.front().index;
}

OutputComparison compare_output(const TensorView& eager, const TensorView& plugin,
                                const OutputContext& context) {
  OutputComparison result;
  result.shape_equal = eager.shape == plugin.shape;
  result.dtype_equal = eager.dtype == plugin.dtype;
  if (!result.shape_equal || !result.dtype_equal) return result;
  const std::int64_t count = count_of(eager);
  const bool readable = count == 0 || (eager.data != nullptr && plugin.data != nullptr);
  if (!readable) return result;
  const Scan scan = scan_elements(eager.dtype, eager.data, plugin.data, count);
  fill_from_scan(eager, scan, count, result);
  OutputFacts facts;
  facts.dtype = eager.dtype;
  facts.masks_equal = result.masks_equal;
  if (is_exact(eager.dtype)) {
    measure_selection(eager, plugin, context, facts, result);
  } else {
    measure_errors(eager, plugin, context, scan, facts, result);
  }
  result.acceptance = decide(facts);
  if (!result.within_tolerance()) result.first_bad_index = bad_index(result, scan);
  return result;
}

// Most severe first.
constexpr Outcome kOutcomes[] = {Outcome::kDtypeMismatch, Outcome::kShapeMismatch,
                                 Outcome::kNonFinite, Outcome::kAccuracyMismatch};

Outcome outcome_of(const OutputComparison& output) {
  if (!output.dtype_equal) return Outcome::kDtypeMismatch;
  if (!output.shape_equal) return Outcome::kShapeMismatch;
  if (!output.masks_equal) return Outcome::kNonFinite;
  return output.within_tolerance() ? Outcome::kOk : Outcome::kAccuracyMismatch;
}

// Which half of the rule a float output broke, and what float64 says.
std::string error_text(DType dtype, const OutputComparison& output) {
  const double limit = rms_limit(dtype);
  const bool rms_is_near = *output.relative_rms <= limit;
  std::string text = "relative RMS error " + short_number(*output.relative_rms);
  if (!rms_is_near) text += " exceeds " + short_number(limit);
  const auto truth = output.float64_errors ? output.float64_errors->facts() : std::nullopt;
  const bool is_ill = truth && is_ill_conditioned(dtype, *truth);
  if (is_ill) {
    text += "; ill-conditioned: eager's own against float64 is " + short_number(truth->eager_error);
  } else if (truth && !rms_is_near) {
    text += " and the error against float64 is " + factor_text(truth->ratio) + " times eager's";
  }
  const bool rms_is_fine = rms_is_near || (truth && !is_ill && truth->ratio <= kEagerErrorFactor);
  if (!rms_is_fine) return text + "; largest";
  const double excess = truth && !is_ill ? truth->element_excess : output.elements->excess;
  return "an element is off by " + factor_text(excess) + " times the limit (" + text + "); worst";
}

std::string what_differs(const TensorView& eager, const TensorView& plugin,
                         const OutputComparison& output) {
  if (!output.dtype_equal) {
    return std::string("dtype ") + base::dtype_name(plugin.dtype) + " instead of " +
           base::dtype_name(eager.dtype);
  }
  if (!output.shape_equal) {
    return "shape " + base::shape_text(plugin.shape) + " instead of " +
           base::shape_text(eager.shape);
  }
  if (!output.first_bad_index) return "there is no data to compare";
  const std::int64_t index = *output.first_bad_index;
  const std::string values = " at index " + position_text(eager.shape, index) + ": " +
                             element_text(plugin, index) + " instead of " +
                             element_text(eager, index);
  if (!output.masks_equal) return "NaN or infinity differ; first" + values;
  if (output.indices) {
    return std::to_string(output.indices->differing) + " indices differ; worst" + values + ", " +
           output.indices->message;
  }
  if (is_exact(eager.dtype)) return "values differ; largest difference" + values;
  return error_text(eager.dtype, output) + values;
}

}  // namespace

const char* evidence_name(Evidence evidence) {
  constexpr const char* kNames[] = {"", "empty", "nan", "constant", "subnormal", "ill_conditioned"};
  return kNames[static_cast<std::size_t>(evidence)];
}

void settle_outcome(const std::vector<TensorView>& eager, const std::vector<TensorView>& plugin,
                    Comparison& comparison) {
  comparison.outcome = Outcome::kOk;
  comparison.message.clear();
  for (const Outcome outcome : kOutcomes) {
    for (std::size_t i = 0; i < eager.size(); ++i) {
      if (outcome_of(comparison.outputs[i]) != outcome) continue;
      comparison.outcome = outcome;
      comparison.message = "output " + std::to_string(i + 1) + " of " +
                           std::to_string(eager.size()) + " (" + type_text(eager[i]) +
                           "): " + what_differs(eager[i], plugin[i], comparison.outputs[i]);
      return;
    }
  }
}

Comparison compare_outputs(const std::vector<TensorView>& eager,
                           const std::vector<TensorView>& plugin,
                           const std::vector<OutputContext>& contexts) {
  Comparison comparison;
  if (eager.size() != plugin.size()) {
    comparison.outcome = Outcome::kCountMismatch;
    comparison.message =
        std::to_string(plugin.size()) + " outputs instead of " + std::to_string(eager.size());
    return comparison;
  }
  int lending = 0;
  for (std::size_t i = 0; i < eager.size(); ++i) {
    const OutputContext context = i < contexts.size() ? contexts[i] : OutputContext();
    comparison.outputs.push_back(compare_output(eager[i], plugin[i], context));
    lending += comparison.outputs.back().lends_evidence() ? 1 : 0;
  }
  comparison.degenerate = lending == 0;
  if (lending > 0) comparison.evidence_share = lending / static_cast<double>(eager.size());
  settle_outcome(eager, plugin, comparison);
  return comparison;
}

}  // namespace graphnet::verify
