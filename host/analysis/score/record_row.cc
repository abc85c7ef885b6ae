// SPDX-License-Identifier: MIT
#include "score/record_row.h"

#include <cmath>

#include "base/device_name.h"
#include "base/field_reader.h"
#include "score/evidence.h"
#include "score/schedule.h"

namespace graphnet::score {

using base::Json;
using record::Record;

namespace {

const Json& item(const Json& object, const char* key, std::size_t index) {
  static const Json none;
  const auto array = object.find(key);
  if (array == object.end() || !array->is_array() || index >= array->size()) return none;
  return (*array)[index];
}

bool is_one(const Json& value) {
  return value.is_number() && value.get<double>() == 1;
}

/// The 64 digits of output `index`; empty if there are none.
std::string digits_of(const Record& record, std::size_t index, bool compat) {
  if (!compat) {
    std::string digits;
    base::FieldReader(item(record.correctness, "statistics", index))
        .read("all_close_nan_equal", digits);
    if (!digits.empty()) return digits;
  }
  const Json& digits = item(record.correctness, "all_close", index);
  return digits.is_string() ? digits.get<std::string>() : "";
}

/// Whether the outcome rule accepted an output by other means than its distance from eager.
bool is_accepted_otherwise(const Record& record, std::size_t index) {
  return record.is_ok() &&
         (record.checks.accepts_indices(index) || record.checks.accepts_distribution(index));
}

/// Takes away the levels at which output `index` differs from eager's.
void judge_output(const Record& record, std::size_t index, bool compat, Row& row) {
  if (!compat && is_accepted_otherwise(record, index)) return;
  const auto& types = record.eager.output_dtypes;
  const auto schedule = schedule_of(index < types.size() ? types[index] : "", compat);
  const bool is_equal = is_one(item(record.correctness, "equal", index));
  const std::string digits = schedule ? digits_of(record, index, compat) : "";
  for (std::size_t level = 0; level < kNumLevels; ++level) {
    const std::size_t digit = schedule ? (*schedule)[level] : 0;
    const bool is_close = schedule ? digit < digits.size() && digits[digit] == '1' : is_equal;
    row.correct[level] = row.correct[level] && is_close;
  }
}

void judge_levels(const Record& record, bool compat, Row& row) {
  const auto equal = record.correctness.find("equal");
  const bool has_outputs = equal != record.correctness.end() && equal->is_array();
  const std::size_t num_outputs = has_outputs ? equal->size() : 0;
  // Nothing was compared: no outputs at all, which upstream calls correct, or a record without.
  row.correct.fill(num_outputs == record.eager.output_dtypes.size());
  for (std::size_t i = 0; i < num_outputs; ++i) judge_output(record, i, compat, row);
}

}  // namespace

Backend backend_of(const Record& record) {
  Backend backend;
  backend.name = record.backend_name();
  auto& facets = backend.facets;
  facets["source"] = "journal";
  facets["version"] = record.plugin_version;
  facets["weights"] = record.weights;
  // Also of the default: a row without it could be taken for one of another policy.
  facets["math"] = record.math.text();
  facets["device"] = base::device_kind(record.device);
  facets["protocol"] = record.protocol;
  if (record.threads > 0) facets["threads"] = std::to_string(record.threads);
  // A worker that died early did not say what it ran on.
  const std::string& hardware = record.environment.cpu_model;
  if (!hardware.empty()) facets["hardware"] = hardware;
  for (const auto& [name, value] : record.plugin_options.items()) {
    facets["option." + name] = base::text_of(value);
  }
  return backend;
}

Row row_of(const Record& record, bool compat) {
  Row row;
  row.sample = record.sample;
  row.family = record.family_name();
  row.backend = backend_of(record);
  row.outcome = record.outcome;
  row.counting = record.counting();
  if (record.speedup && std::isfinite(*record.speedup) && *record.speedup > 0) {
    row.speedup = record.speedup;
  }
  if (row.counting == record::Counting::kNotCounted) {
    row.left_out = record::why_not_counted(record.outcome, record.phase);
    row.can_be_kept = false;
    return row;
  }
  row.failure = compat && record::upstream_refusal(record)
                    ? Failure::kReference
                    : record::failure_of(record.outcome.value(), record.phase.value(), compat);
  if (row.failure != Failure::kNone) return row;
  judge_levels(record, compat, row);
  // A degenerate output that is wrong is evidence all the same.
  row.left_out = record.is_ok() ? reason_to_leave_out(record) : doubt_about_speedup(record);
  return row;
}

}  // namespace graphnet::score
