// SPDX-License-Identifier: MIT
#include "report/result_row.h"

#include <algorithm>
#include <cmath>

namespace graphnet::report {

namespace {

std::optional<double> number(const base::Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

std::string word(const base::Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
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

}  // namespace

ResultRow result_row(const journal::Record& record) {
  ResultRow row;
  row.sample = record.sample;
  row.family =
      record.family.empty() ? record.sample.substr(0, record.sample.find('/')) : record.family;
  row.category = record.category.empty() ? "unknown" : record.category;
  row.outcome = record.outcome;
  row.message = record.message;
  row.verdict = record.verdict;
  row.timing = word(record.timing, "verdict");
  row.flags = record.flags;
  row.speedup = record.speedup;
  row.speedup_low = number(record.timing, "speedup_low");
  row.speedup_high = number(record.timing, "speedup_high");
  row.eager_ns = record.eager.median_ns;
  row.plugin_ns = record.plugin_side.median_ns;
  row.compile_ns = record.plugin_side.compile_ns;
  row.bind_ns = record.plugin_side.bind_ns;
  row.first_call_ns = record.plugin_side.first_call_ns;
  row.break_even_calls = number(record.timing, "break_even_calls");
  row.relative_rms = largest(record.correctness, "relative_rms");
  row.num_pairs = static_cast<int>(number(record.timing, "pairs_kept").value_or(0));
  return row;
}

}  // namespace graphnet::report
