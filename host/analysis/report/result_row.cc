// SPDX-License-Identifier: MIT
#include "report/result_row.h"

#include <algorithm>
#include <cmath>

#include "base/field_reader.h"
#include "base/tolerance.h"
#include "report/distribution.h"
#include "report/proof_report.h"

namespace graphnet::report {

namespace {

std::string sha256_of(const base::Json& digest) {
  std::string text;
  base::FieldReader(digest).read("sha256", text);
  return text;
}

std::optional<double> largest(const base::Json& object, const char* key) {
  const auto found = object.find(key);
  std::optional<double> result;
  if (found == object.end() || !found->is_array()) return result;
  for (const base::Json& value : *found) {
    if (value.is_number()) result = std::max(result.value_or(0), value.get<double>());
  }
  return result;
}

/// Whether every output passes the level at that index of upstream's order.
bool all_pass(const base::Json& outputs, std::size_t level) {
  for (const base::Json& output : outputs) {
    const auto* digits = output.get_ptr<const std::string*>();
    if (digits == nullptr || level >= digits->size() || (*digits)[level] != '1') return false;
  }
  return true;
}

std::string levels_of(const record::Record& record) {
  const auto outputs = record.correctness.find("all_close");
  if (outputs == record.correctness.end() || !outputs->is_array() || outputs->empty()) return "";
  // In this order the levels of one schedule are as far apart as there are schedules.
  const auto& levels = base::tolerance_levels();
  constexpr std::size_t kSchedules = 4;
  std::string text;
  for (std::size_t schedule = 0; schedule < kSchedules; ++schedule) {
    std::string from = "none";
    for (std::size_t i = levels.size() - kSchedules + schedule; i < levels.size();
         i -= kSchedules) {
      if (!all_pass(*outputs, i)) break;
      from = std::to_string(levels[i].t);
    }
    text += (text.empty() ? "" : ", ") + std::string(base::dtype_name(levels[schedule].schedule)) +
            " " + from;
  }
  return text;
}

/// Of "arguments", which has one digest, or of a list of outputs.
std::string digest_of(const base::Json& digest, const char* key) {
  const auto found = digest.find(key);
  if (found == digest.end()) return "";
  if (found->is_object()) return sha256_of(*found);
  std::string all;
  for (const base::Json& output : *found) {
    if (output.is_object()) all += sha256_of(output) + " ";
  }
  return all;
}

}  // namespace

std::optional<double> quantile_of_calls(const record::Record::Side& side, double part) {
  if (side.trials_ns.empty()) return std::nullopt;
  std::vector<double> sorted = side.trials_ns;
  std::sort(sorted.begin(), sorted.end());
  return quantile(sorted, part);
}

ResultRow result_row(const record::Record& record) {
  ResultRow row;
  row.sample = record.sample;
  row.family = record.family_name();
  row.category = record.category.empty() ? "unknown" : record.category;
  row.outcome = record.outcome;
  row.counting = record.counting();
  row.message = record.message;
  row.verdict = record.verdict;
  row.timing = record.timing.verdict;
  row.flags = record.flags;
  row.speedup = record.speedup;
  row.speedup_low = record.timing.speedup_low;
  row.speedup_high = record.timing.speedup_high;
  row.eager_ns = record.eager.median_ns;
  row.plugin_ns = record.plugin_side.median_ns;
  row.eager_p90_ns = quantile_of_calls(record.eager, 0.9);
  row.eager_p99_ns = quantile_of_calls(record.eager, 0.99);
  row.plugin_p90_ns = quantile_of_calls(record.plugin_side, 0.9);
  row.plugin_p99_ns = quantile_of_calls(record.plugin_side, 0.99);
  row.compile_ns = record.plugin_side.compile_ns;
  row.bind_ns = record.plugin_side.bind_ns;
  row.capture_ns = record.plugin_side.capture_ns;
  row.first_call_ns = record.plugin_side.first_call_ns;
  if (const auto& calls = record.timing.break_even_calls) {
    row.break_even_calls = static_cast<double>(*calls);
  }
  if (const auto& bytes = record.plugin_side.peak_rss_bytes) {
    row.peak_bytes = static_cast<double>(*bytes);
  }
  row.limit_share = record.roofline.share(record.plugin_side.median_ns);
  row.limited_by = record.roofline.limited_by;
  row.relative_rms = largest(record.correctness, "relative_rms");
  row.num_pairs = static_cast<int>(record.timing.pairs_kept.value_or(0));
  row.levels = levels_of(record);
  row.inputs_digest = digest_of(record.digest, "arguments");
  row.eager_digest = digest_of(record.digest, "eager_outputs");
  row.plugin_digest = digest_of(record.digest, "plugin_outputs");
  row.time_shares = time_shares(record);
  row.operators = operators_word(record);
  row.entered = entered_word(record);
  return row;
}

}  // namespace graphnet::report
