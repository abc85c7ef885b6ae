// SPDX-License-Identifier: MIT
#include "verify/correctness_json.h"

#include <optional>
#include <string>
#include <vector>

namespace graphnet::verify {

namespace {

template <typename T>
base::Json optional_number(const std::optional<T>& value) {
  return value ? base::json_number(static_cast<double>(*value)) : base::Json();
}

std::string digits(const std::vector<bool>& flags) {
  std::string text;
  for (const bool flag : flags) text += flag ? '1' : '0';
  return text;
}

base::Json counts_json(const ValueCounts& counts) {
  return {{"nan", counts.nan},
          {"positive_infinity", counts.positive_infinity},
          {"negative_infinity", counts.negative_infinity},
          {"zero", counts.zero},
          {"subnormal", counts.subnormal}};
}

base::Json statistics_json(const OutputComparison& output) {
  const Statistics& statistics = *output.statistics;
  base::Json worst = base::Json::array();
  for (const WorstPair& pair : statistics.worst) {
    worst.push_back({{"index", pair.index},
                     {"eager", base::json_number(pair.eager)},
                     {"plugin", base::json_number(pair.plugin)}});
  }
  return {{"all_close_nan_equal", digits(output.all_close_nan_equal)},
          {"eager", counts_json(statistics.eager)},
          {"plugin", counts_json(statistics.plugin)},
          {"mask_mismatches", statistics.mask_mismatches},
          {"differing", statistics.differing},
          {"max_error", optional_number(statistics.max_error)},
          {"mean_error", optional_number(statistics.mean_error)},
          {"rms_error", optional_number(statistics.rms_error)},
          {"max_relative_error", optional_number(statistics.max_relative_error)},
          {"cosine", optional_number(statistics.cosine)},
          {"ulp_histogram", statistics.ulp_histogram},
          {"worst", worst}};
}

}  // namespace

base::Json correctness_json(const Comparison& comparison) {
  base::Json json = base::Json::object();
  for (const char* key : {"equal", "all_close", "max_diff", "mean_diff", "relative_rms",
                          "largest_error", "degenerate", "evidence", "statistics"}) {
    json[key] = base::Json::array();
  }
  for (const OutputComparison& output : comparison.outputs) {
    json["equal"].push_back(output.bit_equal ? 1 : 0);
    json["all_close"].push_back(digits(output.all_close));
    json["max_diff"].push_back(optional_number(output.max_diff));
    json["mean_diff"].push_back(optional_number(output.mean_diff));
    json["relative_rms"].push_back(optional_number(output.relative_rms));
    // Between two draws there is none.
    const bool has_error = output.elements && output.acceptance != Acceptance::kDistribution;
    json["largest_error"].push_back(has_error ? base::json_number(output.elements->largest)
                                              : base::Json());
    json["degenerate"].push_back(!output.lends_evidence());
    json["evidence"].push_back(evidence_name(output.evidence));
    json["statistics"].push_back(output.statistics ? statistics_json(output) : base::Json());
  }
  return json;
}

}  // namespace graphnet::verify
