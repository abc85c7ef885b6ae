// SPDX-License-Identifier: MIT
#include "record/record.h"

#include "base/field_reader.h"

namespace graphnet::record {

namespace {

using base::FieldReader;
using base::Json;

constexpr int kNewestRecordSchema = 1;  // the number in kRecordSchema

template <typename T>
void add_if_set(Json& object, const char* key, const std::optional<T>& value) {
  if (value) object[key] = *value;
}

template <typename T>
void add_if_any(Json& object, const char* key, const std::vector<T>& values) {
  if (!values.empty()) object[key] = values;
}

Json side_to_json(const Record::Side& side) {
  Json object = Json::object();
  add_if_set(object, "compile_ns", side.compile_ns);
  add_if_set(object, "load_ns", side.load_ns);
  add_if_set(object, "bind_ns", side.bind_ns);
  add_if_set(object, "capture_ns", side.capture_ns);
  add_if_set(object, "first_call_ns", side.first_call_ns);
  add_if_any(object, "warmup_ns", side.warmup_ns);
  add_if_any(object, "trials_ns", side.trials_ns);
  add_if_set(object, "median_ns", side.median_ns);
  add_if_set(object, "iqr_ns", side.iqr_ns);
  add_if_set(object, "mean_ns", side.mean_ns);
  add_if_set(object, "std_ns", side.std_ns);
  add_if_set(object, "min_ns", side.min_ns);
  add_if_set(object, "max_ns", side.max_ns);
  add_if_set(object, "peak_rss_bytes", side.peak_rss_bytes);
  add_if_set(object, "kept_bytes", side.kept_bytes);
  add_if_any(object, "output_dtypes", side.output_dtypes);
  return object;
}

void read_side(FieldReader& fields, const char* key, Record::Side& side) {
  const Json* object = fields.object(key);
  if (object == nullptr) return;
  FieldReader nested(*object, key);
  nested.read("compile_ns", side.compile_ns)
      .read("load_ns", side.load_ns)
      .read("bind_ns", side.bind_ns)
      .read("capture_ns", side.capture_ns)
      .read("first_call_ns", side.first_call_ns)
      .read("warmup_ns", side.warmup_ns)
      .read("trials_ns", side.trials_ns)
      .read("median_ns", side.median_ns)
      .read("iqr_ns", side.iqr_ns)
      .read("mean_ns", side.mean_ns)
      .read("std_ns", side.std_ns)
      .read("min_ns", side.min_ns)
      .read("max_ns", side.max_ns)
      .read("peak_rss_bytes", side.peak_rss_bytes)
      .read("kept_bytes", side.kept_bytes)
      .read("output_dtypes", side.output_dtypes);
  fields.merge(nested);
}

void read_sample(FieldReader& fields, Record& record) {
  const Json* object = fields.require("sample").object("sample");
  if (object == nullptr) return;
  FieldReader nested(*object, "sample");
  nested.require("name")
      .read("name", record.sample)
      .read("path", record.sample_path)
      .read("family", record.family)
      .read("category", record.category)
      .read("model_name", record.model_name)
      .read("sha256", record.sample_sha256);
  fields.merge(nested);
}

void read_plugin(FieldReader& fields, Record& record) {
  const Json* object = fields.require("plugin").object("plugin");
  if (object == nullptr) return;
  FieldReader nested(*object, "plugin");
  nested.require("name")
      .read("name", record.plugin)
      .read("version", record.plugin_version)
      .read("variant", record.plugin_variant)
      .read("sha256", record.plugin_sha256)
      .read("library", record.plugin_library)
      .read_object("options", record.plugin_options)
      .read_object("info", record.plugin_info);
  fields.merge(nested);
}

Json identity_to_json(const Record& record) {
  Json object = Json::object();
  object["schema"] = kRecordSchema;
  if (!record.task_key.empty()) object["task_key"] = record.task_key;
  if (record.attempt != 1) object["attempt"] = record.attempt;
  object["outcome"] = record.outcome.text();
  object["phase"] = record.phase.text();
  object["run_id"] = record.run_id;
  object["time_utc"] = record.time_utc;
  if (!record.graphnet.empty()) object["graphnet"] = record.graphnet;
  object["sample"] = {{"name", record.sample},           {"path", record.sample_path},
                      {"family", record.family},         {"category", record.category},
                      {"model_name", record.model_name}, {"sha256", record.sample_sha256}};
  object["plugin"] = {{"name", record.plugin},
                      {"version", record.plugin_version},
                      {"variant", record.plugin_variant},
                      {"sha256", record.plugin_sha256},
                      {"options", record.plugin_options},
                      {"info", record.plugin_info}};
  if (!record.plugin_library.empty()) object["plugin"]["library"] = record.plugin_library;
  return object;
}

}  // namespace

Json to_json(const Record& record) {
  Json object = identity_to_json(record);
  object["device"] = record.device;
  object["threads"] = record.threads;
  object["seed"] = record.seed;
  object["weights"] = record.weights;
  if (!record.math.is_default()) object["math"] = base::to_json(record.math);
  object["protocol"] = record.protocol;
  object["protocol_settings"] = record.protocol_settings;
  object["warmup"] = record.warmup;
  object["trials"] = record.trials;
  if (!record.settings.empty()) object["settings"] = record.settings;
  object["message"] = record.message;
  object["verdict"] = record.verdict.text();
  object["degenerate"] = record.degenerate;
  object["notes"] = record.notes;
  object["flags"] = texts_of(record.flags);
  object["plan"] = part_to_json(record.plan);
  object["eager"] = side_to_json(record.eager);
  object["plugin_side"] = side_to_json(record.plugin_side);
  add_if_set(object, "speedup", record.speedup);
  object["timing"] = part_to_json(record.timing);
  object["checks"] = part_to_json(record.checks);
  if (!is_empty(record.roofline)) object["roofline"] = part_to_json(record.roofline);
  object["proof"] = part_to_json(record.proof);
  object["correctness"] = record.correctness;
  object["digest"] = record.digest;
  object["phases_ns"] = record.phases_ns;
  object["environment"] = part_to_json(record.environment);
  add_if_set(object, "peak_rss_bytes", record.peak_rss_bytes);
  object["output_tail"] = record.output_tail;
  if (!is_empty(record.crash)) object["crash"] = part_to_json(record.crash);
  object["command"] = record.command;
  return object;
}

namespace {

void read_words(FieldReader& fields, Record& record) {
  std::string outcome;
  std::string phase;
  std::string verdict;
  std::vector<std::string> flags;
  fields.read("outcome", outcome)
      .read("phase", phase)
      .read("verdict", verdict)
      .read("flags", flags);
  record.outcome = Word<Outcome>(outcome);
  record.phase = Word<Phase>(phase);
  record.verdict = Verdict(verdict);
  for (const std::string& flag : flags) record.flags.emplace_back(flag);
}

template <typename T>
void read_part(FieldReader& fields, const char* key, T& part) {
  Json object;
  fields.read_object(key, object);
  if (object.is_object()) part = part_from_json<T>(std::move(object));
}

/// An object whose keys are phases, by their words of today.
void rename_phases(Json& by_phase) {
  if (!by_phase.is_object() || !by_phase.contains(std::string(kOldInputs))) return;
  Json renamed = Json::object();
  for (const auto& [phase, value] : by_phase.items()) {
    renamed[std::string(current_word(Phase(), phase))] = value;
  }
  by_phase = std::move(renamed);
}

base::Result<Record> read_record(FieldReader fields) {
  Record record;
  fields.read("task_key", record.task_key)
      .read("attempt", record.attempt)
      .read("run_id", record.run_id)
      .read("time_utc", record.time_utc)
      .read("graphnet", record.graphnet);
  read_sample(fields, record);
  read_plugin(fields, record);
  fields.read("device", record.device)
      .read("threads", record.threads)
      .read("seed", record.seed)
      .read("weights", record.weights)
      .read("math", record.math)
      .read("protocol", record.protocol)
      .read_object("protocol_settings", record.protocol_settings)
      .read("warmup", record.warmup)
      .read("trials", record.trials)
      .read_object("settings", record.settings)
      .require("outcome")
      .read("message", record.message)
      .read("degenerate", record.degenerate)
      .read("notes", record.notes);
  read_words(fields, record);
  read_side(fields, "eager", record.eager);
  read_side(fields, "plugin_side", record.plugin_side);
  read_part(fields, "plan", record.plan);
  read_part(fields, "timing", record.timing);
  read_part(fields, "checks", record.checks);
  read_part(fields, "roofline", record.roofline);
  read_part(fields, "proof", record.proof);
  read_part(fields, "environment", record.environment);
  read_part(fields, "crash", record.crash);
  fields.read("speedup", record.speedup)
      .read_object("correctness", record.correctness)
      .read_object("digest", record.digest)
      .read_object("phases_ns", record.phases_ns)
      .read("peak_rss_bytes", record.peak_rss_bytes)
      .read("output_tail", record.output_tail)
      .read("command", record.command);
  GN_RETURN_IF_ERROR(fields.status());
  rename_phases(record.phases_ns);
  if (record.settings.contains("timeouts_ms")) rename_phases(record.settings["timeouts_ms"]);
  return record;
}

}  // namespace

base::Result<Record> record_from_json(const Json& json) {
  GN_RETURN_IF_ERROR(base::check_schema(json, "graphnet.record", kNewestRecordSchema));
  return read_record(FieldReader(json));
}

base::Result<Record> record_from_json(Json&& json) {
  GN_RETURN_IF_ERROR(base::check_schema(json, "graphnet.record", kNewestRecordSchema));
  return read_record(FieldReader(std::move(json)));
}

std::string Record::family_name() const {
  return family.empty() ? sample.substr(0, sample.find('/')) : family;
}

std::vector<std::string> texts_of(const std::vector<Word<Flag>>& flags) {
  std::vector<std::string> texts;
  for (const Word<Flag>& flag : flags) texts.push_back(flag.text());
  return texts;
}

std::optional<std::string> upstream_refusal(const Record& record) {
  for (const std::string& note : record.notes) {
    if (note.rfind("batch_norm with eps 0", 0) == 0) {
      return "batch_norm eps must be positive, but got 0.0";
    }
  }
  return std::nullopt;
}

}  // namespace graphnet::record
