// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdio>

#include "base/text.h"
#include "report/comparison.h"
#include "report/summary.h"
#include "report/terminal_text.h"
#include "report/text_table.h"

namespace graphnet::report {

namespace {

using base::Json;

// In the order of the text; "same" is counted but not listed.
constexpr Change kListed[] = {Change::kBroken, Change::kSlower, Change::kFaster, Change::kMended};
constexpr std::size_t kMaxListed = 40;

std::string ratio_cell(const ComparedSample& sample) {
  if (!sample.ratio) {
    return printable(sample.outcome_a) + " -> " + printable(sample.outcome_b);
  }
  const std::string ratio = ratio_text(*sample.ratio) + "x ";
  if (!sample.low || !sample.high) return ratio + "(no interval)";
  return ratio + "[" + ratio_text(*sample.low) + ", " + ratio_text(*sample.high) + "]";
}

// The largest change first.
std::vector<const ComparedSample*> listed(const Comparison& comparison, Change change) {
  std::vector<const ComparedSample*> samples;
  for (const ComparedSample& sample : comparison.samples) {
    if (sample.change == change) samples.push_back(&sample);
  }
  std::stable_sort(
      samples.begin(), samples.end(), [&](const ComparedSample* one, const ComparedSample* two) {
        const double ratio_one = one->ratio.value_or(1);
        const double ratio_two = two->ratio.value_or(1);
        return change == Change::kFaster ? ratio_one > ratio_two : ratio_one < ratio_two;
      });
  return samples;
}

std::string counts_line(const Comparison& comparison) {
  std::vector<std::string> parts;
  for (const Change change : {Change::kSame, Change::kFaster, Change::kSlower, Change::kBroken,
                              Change::kMended, Change::kBothFail, Change::kNoEvidence}) {
    const int count = comparison.count(change);
    if (count > 0) parts.push_back(std::to_string(count) + " " + change_name(change));
  }
  const std::size_t only_a = comparison.missing.size();
  if (only_a > 0) parts.push_back(std::to_string(only_a) + " in A only");
  if (comparison.only_b > 0) parts.push_back(std::to_string(comparison.only_b) + " in B only");
  return base::join(parts, ", ");
}

/// What digests say, in the order of the text.
struct BitsRow {
  const char* key;
  const char* text;
  std::optional<bool> ComparedSample::*same;
};
constexpr BitsRow kBits[] = {{"inputs", "inputs", &ComparedSample::same_inputs},
                             {"eager", "eager's outputs", &ComparedSample::same_eager},
                             {"plugin", "plugin's outputs", &ComparedSample::same_plugin}};

/// "bits: inputs 13 equal; eager's outputs 11 equal, 2 different\n"; empty without digests.
std::string bits_line(const Comparison& comparison) {
  std::vector<std::string> parts;
  for (const BitsRow& row : kBits) {
    const BitCounts counts = comparison.count_bits(row.same);
    if (counts.equal + counts.different == 0) continue;
    parts.push_back(
        std::string(row.text) + " " + std::to_string(counts.equal) + " equal" +
        (counts.different > 0 ? ", " + std::to_string(counts.different) + " different" : ""));
  }
  return parts.empty() ? "" : "bits: " + base::join(parts, "; ") + "\n";
}

Json bits_json(const Comparison& comparison) {
  Json bits = Json::object();
  for (const BitsRow& row : kBits) {
    const BitCounts counts = comparison.count_bits(row.same);
    bits[row.key] = {{"equal", counts.equal}, {"different", counts.different}};
  }
  return bits;
}

std::string percent(double fraction) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %%", 100 * fraction);
  return text;
}

/// "smallest drop it detects: 6.9 % of a sample (median; at worst 21 %: timm/x), 5.8 % of the
/// mean\n"; empty without ratios.
std::string detectable_line(const Detectable& detectable) {
  std::vector<std::string> parts;
  if (detectable.median_sample) {
    const bool is_even = *detectable.worst_sample - *detectable.median_sample < 0.0005;
    parts.push_back(percent(*detectable.median_sample) + " of a sample" +
                    (is_even ? ""
                             : " (median; at worst " + percent(*detectable.worst_sample) + ": " +
                                   printable(detectable.worst_name) + ")"));
  }
  if (detectable.mean) parts.push_back(percent(*detectable.mean) + " of the mean");
  return parts.empty() ? "" : "smallest drop it detects: " + base::join(parts, ", ") + "\n";
}

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json();
}

Json detectable_json(const Detectable& detectable) {
  return {{"mean", number_or_null(detectable.mean)},
          {"median_sample", number_or_null(detectable.median_sample)},
          {"worst_sample", number_or_null(detectable.worst_sample)},
          {"worst_name", detectable.worst_name}};
}

Json counts_json(const Comparison& comparison) {
  Json counts = Json::object();
  for (const Change change : {Change::kSame, Change::kFaster, Change::kSlower, Change::kBroken,
                              Change::kMended, Change::kBothFail, Change::kNoEvidence}) {
    std::string key = change_name(change);
    std::replace(key.begin(), key.end(), ' ', '_');
    counts[key] = comparison.count(change);
  }
  counts["only_a"] = comparison.missing.size();
  counts["only_b"] = comparison.only_b;
  return counts;
}

Json sample_json(const ComparedSample& sample) {
  Json json = {{"sample", sample.sample},
               {"change", change_name(sample.change)},
               {"outcome_a", sample.outcome_a},
               {"outcome_b", sample.outcome_b},
               {"ratio", number_or_null(sample.ratio)},
               {"ratio_low", number_or_null(sample.low)},
               {"ratio_high", number_or_null(sample.high)}};
  for (const BitsRow& row : kBits) {
    if (sample.*row.same) json[std::string("same_") + row.key] = *(sample.*row.same);
  }
  return json;
}

Json one_json(const Comparison& one) {
  Json samples = Json::array();
  for (const ComparedSample& sample : one.samples) samples.push_back(sample_json(sample));
  Json object = {{"a", one.name_a},
                 {"b", one.name_b},
                 {"metric", metric_name(one.metric)},
                 {"threshold", one.threshold},
                 {"noise_floor", one.noise_floor},
                 {"ratio", nullptr},
                 {"ratio_low", nullptr},
                 {"ratio_high", nullptr},
                 {"confidence", kConfidence},
                 {"counts", counts_json(one)},
                 {"bits", bits_json(one)},
                 {"is_regression", one.is_regression()},
                 {"causes", one.regression_causes()},
                 {"missing", one.missing},
                 {"detectable", detectable_json(one.detectable)},
                 {"samples", std::move(samples)}};
  if (one.ratio.count > 0) object["ratio"] = one.ratio.value;
  if (one.ratio.has_interval) {
    object["ratio_low"] = one.ratio.low;
    object["ratio_high"] = one.ratio.high;
  }
  return object;
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  char limits[160];
  std::snprintf(
      limits, sizeof limits, "threshold %.3g %%%s\n", 100 * comparison.threshold,
      comparison.noise_floor >= comparison.threshold ? ", the noise floor of the controls" : "");
  std::string text = "A: " + printable(comparison.name_a) + "\nB: " + printable(comparison.name_b) +
                     "\n\n" + metric_name(comparison.metric) +
                     " of B against A, above 1 is faster: geometric mean " +
                     mean_text(comparison.ratio) + " over " +
                     base::counted(static_cast<std::size_t>(comparison.ratio.count), "sample") +
                     "\n" + counts_line(comparison) + "; " + limits +
                     detectable_line(comparison.detectable) + bits_line(comparison);
  std::vector<Cells> rows;
  std::size_t num_hidden = 0;
  for (const Change change : kListed) {
    const auto samples = listed(comparison, change);
    for (std::size_t i = 0; i < samples.size(); ++i) {
      if (i >= kMaxListed) {
        ++num_hidden;
        continue;
      }
      rows.push_back({change_name(change), printable(samples[i]->sample), ratio_cell(*samples[i])});
    }
  }
  if (comparison.rule.missing) {
    for (const std::string& sample : comparison.missing) {
      rows.push_back({"missing", printable(sample), ""});
    }
  }
  if (!rows.empty()) text += "\n" + text_table(rows, "  ", 3);
  if (num_hidden > 0) text += "  and " + std::to_string(num_hidden) + " more\n";
  const std::vector<std::string> causes = comparison.regression_causes();
  return text + (causes.empty() ? "\nno regression\n"
                                : "\nregression: " + base::join(causes, ", ") + "\n");
}

Json comparison_json(const std::vector<Comparison>& comparisons) {
  Json list = Json::array();
  bool is_regression = false;
  for (const Comparison& one : comparisons) {
    list.push_back(one_json(one));
    is_regression = is_regression || one.is_regression();
  }
  return {{"schema", "graphnet.compare/1"},
          {"is_regression", is_regression},
          {"comparisons", std::move(list)}};
}

}  // namespace graphnet::report
