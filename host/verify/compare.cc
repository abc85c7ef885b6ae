// SPDX-License-Identifier: MIT
#include "verify/compare.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "verify/outcome_rule.h"
#include "verify/scan.h"

namespace graphnet::verify {

namespace {

using base::DType;
using record::Outcome;

std::string type_text(const TensorView& view) {
  return std::string(base::dtype_name(view.dtype)) + " " + shape_text(view.shape);
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
bool is_degenerate(const Scan& scan, std::int64_t count) {
  if (scan.only_subnormal) return true;
  return scan.constant && count > 1;
}

double relative_rms(const Scan& scan) {
  if (scan.squared_error == 0) return 0;
  return std::sqrt(scan.squared_error / scan.squared_eager);  // infinity if eager is zero
}

void fill_from_scan(const TensorView& eager, const Scan& scan, std::int64_t count,
                    OutputComparison& result) {
  result.masks_equal = scan.mask_mismatches == 0;
  result.bit_equal = scan.all_equal;
  result.nan_equal = scan.differing == 0;
  result.all_close.reserve(kNumLevels * kNumSchedules);
  result.all_close_nan_equal.reserve(kNumLevels * kNumSchedules);
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
  result.degenerate = is_degenerate(scan, count);
  if (!is_exact(eager.dtype)) result.relative_rms = relative_rms(scan);
}

void judge_integers(const TensorView& eager, const TensorView& plugin, const OutputContext& context,
                    OutputComparison& result) {
  result.within_tolerance = result.bit_equal;
  if (result.bit_equal || !context.indices) return;
  result.indices = judge_indices(eager, plugin, *context.indices);
  result.within_tolerance = result.indices->accepted;
}

void judge_floats(const TensorView& eager, const TensorView& plugin, const OutputContext& context,
                  OutputComparison& result) {
  // Written so that a NaN is not within.
  const bool near_eager = *result.relative_rms <= rms_limit(eager.dtype);
  bool near_truth = false;
  if (context.float64 != nullptr && has_float64_rule(eager.dtype)) {
    result.float64_errors = errors_against_float64(eager.dtype, eager.data, plugin.data,
                                                   context.float64, count_of(eager));
    near_truth = result.float64_errors->accepted;
    const bool proves_nothing = !near_eager && result.float64_errors->accepts_zeros;
    result.degenerate = result.degenerate || (near_truth && proves_nothing);
  }
  result.within_tolerance = result.masks_equal && (near_eager || near_truth);
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
  if (is_exact(eager.dtype)) {
    judge_integers(eager, plugin, context, result);
  } else {
    judge_floats(eager, plugin, context, result);
  }
  if (result.within_tolerance) return result;
  if (!scan.worst.empty()) result.first_bad_index = scan.worst.front().index;
  if (result.indices) result.first_bad_index = result.indices->worst_index;
  return result;
}

// Most severe first.
constexpr Outcome kOutcomes[] = {Outcome::kDtypeMismatch, Outcome::kShapeMismatch,
                                 Outcome::kNonFinite, Outcome::kAccuracyMismatch};

Outcome outcome_of(const OutputComparison& output) {
  if (!output.dtype_equal) return Outcome::kDtypeMismatch;
  if (!output.shape_equal) return Outcome::kShapeMismatch;
  if (!output.masks_equal) return Outcome::kNonFinite;
  return output.within_tolerance ? Outcome::kOk : Outcome::kAccuracyMismatch;
}

std::string what_differs(const TensorView& eager, const TensorView& plugin,
                         const OutputComparison& output) {
  if (!output.dtype_equal) {
    return std::string("dtype ") + base::dtype_name(plugin.dtype) + " instead of " +
           base::dtype_name(eager.dtype);
  }
  if (!output.shape_equal) {
    return "shape " + shape_text(plugin.shape) + " instead of " + shape_text(eager.shape);
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
  std::string sentence = "relative RMS error " + short_number(*output.relative_rms) + " exceeds " +
                         short_number(rms_limit(eager.dtype));
  if (output.float64_errors) {
    sentence += " and the error against float64 is " + short_number(output.float64_errors->ratio) +
                " times eager's";
  }
  return sentence + "; largest" + values;
}

void judge(const std::vector<TensorView>& eager, const std::vector<TensorView>& plugin,
           Comparison& comparison) {
  comparison.outcome = Outcome::kOk;
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

}  // namespace

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
  comparison.degenerate = true;
  for (std::size_t i = 0; i < eager.size(); ++i) {
    const OutputContext context = i < contexts.size() ? contexts[i] : OutputContext();
    comparison.outputs.push_back(compare_output(eager[i], plugin[i], context));
    comparison.degenerate = comparison.degenerate && comparison.outputs.back().degenerate;
  }
  judge(eager, plugin, comparison);
  return comparison;
}

}  // namespace graphnet::verify
