// SPDX-License-Identifier: MIT
#include "score/record_row.h"

#include <cmath>

#include "score/evidence.h"
#include "score/schedule.h"

namespace graphnet::score {

using base::Json;
using journal::Record;

namespace {

/// What an outcome means to a score.
struct Meaning {
  const char* outcome;
  Failure failure;
  Failure compat_failure;
  /// The failure of phases in which the plugin compiles; `failure` is that of the others.
  Failure while_compiling;
};

constexpr Failure kNone = Failure::kNone;
constexpr Failure kEager = Failure::kReference;
constexpr std::array<Meaning, 15> kMeanings = {{
    {"ok", kNone, kNone, kNone},
    {"accuracy_mismatch", kNone, kNone, kNone},
    {"non_finite", Failure::kNonFinite, kNone, Failure::kNonFinite},
    {"shape_mismatch", Failure::kShapeMismatch, kNone, Failure::kShapeMismatch},
    {"count_mismatch", Failure::kShapeMismatch, Failure::kShapeMismatch, Failure::kShapeMismatch},
    {"dtype_mismatch", Failure::kTypeMismatch, Failure::kShapeMismatch, Failure::kTypeMismatch},
    {"unsupported", Failure::kCompile, kEager, Failure::kCompile},
    {"compile_failed", Failure::kCompile, kEager, Failure::kCompile},
    {"runtime_failed", Failure::kRuntime, kEager, Failure::kCompile},
    {"crashed", Failure::kRuntime, kEager, Failure::kCompile},
    {"timed_out", Failure::kRuntime, kEager, Failure::kCompile},
    {"out_of_memory", Failure::kRuntime, kEager, Failure::kCompile},
    {"killed", Failure::kRuntime, kEager, Failure::kCompile},
    {"plugin_failed", Failure::kRuntime, kEager, Failure::kCompile},
    {"reference_failed", kEager, kEager, kEager},
}};

const Meaning* meaning_of(const std::string& outcome) {
  for (const Meaning& meaning : kMeanings) {
    if (outcome == meaning.outcome) return &meaning;
  }
  return nullptr;
}

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
    const Json& statistics = item(record.correctness, "statistics", index);
    if (statistics.is_object()) {
      const auto digits = statistics.find("all_close_nan_equal");
      if (digits != statistics.end() && digits->is_string()) return digits->get<std::string>();
    }
  }
  const Json& digits = item(record.correctness, "all_close", index);
  return digits.is_string() ? digits.get<std::string>() : "";
}

bool is_random_and_accepted(const Record& record, std::size_t index) {
  const auto judged = record.checks.find("random");
  if (judged == record.checks.end() || !judged->is_array()) return false;
  for (const Json& entry : *judged) {
    if (!entry.is_object() || !entry.contains("output") || !entry.contains("same_distribution")) {
      continue;
    }
    if (entry["output"] == index && entry["same_distribution"] == true) return true;
  }
  return false;
}

/// Whether the outcome rule accepted an output by other means than its distance from eager.
bool is_accepted_otherwise(const Record& record, std::size_t index) {
  if (record.outcome != "ok") return false;
  const Json& indices = item(record.checks, "indices", index);
  const bool selects_the_same = indices.is_object() && indices.value("accepted", Json()) == true;
  return selects_the_same || is_random_and_accepted(record, index);
}

/// Takes away the levels at which output `index` differs from eager's.
void judge_output(const Record& record, std::size_t index, bool compat, Row& row) {
  if (!compat && is_accepted_otherwise(record, index)) return;
  const auto& types = record.eager.output_dtypes;
  const auto schedule = schedule_of(index < types.size() ? types[index] : "", compat);
  const bool is_equal = is_one(item(record.correctness, "equal", index));
  const std::string digits = schedule ? digits_of(record, index, compat) : "";
  for (std::size_t level = 0; level < kNumLevels; ++level) {
    const std::size_t place = schedule ? (*schedule)[level] : 0;
    const bool is_close = schedule ? place < digits.size() && digits[place] == '1' : is_equal;
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

std::string value_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : base::dump_json(value);
}

Backend backend_of(const Record& record) {
  Backend backend;
  backend.name = record.plugin_variant.empty() ? record.plugin : record.plugin_variant;
  auto& facets = backend.facets;
  facets["source"] = "journal";
  facets["version"] = record.plugin_version;
  facets["weights"] = record.weights;
  // Also of the default: a row without it could be taken for one of another policy.
  facets["math"] = record.math.text();
  facets["device"] = record.device;
  facets["protocol"] = record.protocol;
  if (record.threads > 0) facets["threads"] = std::to_string(record.threads);
  // A worker that died early did not say what it ran on.
  const auto hardware = record.environment.find("cpu_model");
  if (hardware != record.environment.end() && hardware->is_string()) {
    facets["hardware"] = hardware->get<std::string>();
  }
  for (const auto& [name, value] : record.plugin_options.items()) {
    facets["option." + name] = value_text(value);
  }
  return backend;
}

}  // namespace

std::optional<Failure> failure_of_outcome(const std::string& outcome) {
  const Meaning* meaning = meaning_of(outcome);
  return meaning == nullptr ? std::nullopt : std::optional<Failure>(meaning->failure);
}

Row row_of(const Record& record, bool compat) {
  Row row;
  row.sample = record.sample;
  row.family =
      record.family.empty() ? record.sample.substr(0, record.sample.find('/')) : record.family;
  row.backend = backend_of(record);
  row.outcome = record.outcome;
  if (record.speedup && std::isfinite(*record.speedup) && *record.speedup > 0) {
    row.speedup = record.speedup;
  }
  const Meaning* meaning = meaning_of(record.outcome);
  const bool is_not_usable = record.outcome == "plugin_failed" && record.phase.empty();
  if (meaning == nullptr || is_not_usable) {
    row.left_out = is_not_usable ? "not usable" : record.outcome;
    if (row.left_out.empty()) row.left_out = "no outcome";
    row.can_be_kept = false;
    return row;
  }
  const bool is_compiling = record.phase == "compile" || record.phase == "bind";
  row.failure = compat && journal::upstream_refusal(record) ? kEager
                : compat                                    ? meaning->compat_failure
                : is_compiling                              ? meaning->while_compiling
                                                            : meaning->failure;
  if (row.failure != Failure::kNone) return row;
  judge_levels(record, compat, row);
  // A degenerate output that is wrong is evidence all the same.
  row.left_out = record.outcome == "ok" ? reason_to_leave_out(record) : doubt_about_speedup(record);
  return row;
}

}  // namespace graphnet::score
