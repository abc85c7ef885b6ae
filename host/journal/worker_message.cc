// SPDX-License-Identifier: MIT
#include "journal/worker_message.h"

#include "base/field_reader.h"

namespace graphnet::journal {

using base::FieldReader;

base::Json to_json(const Task& task) {
  base::Json object = base::Json::object();
  object["sample_path"] = task.sample_path;
  object["sample_name"] = task.sample_name;
  object["plugin_library"] = task.plugin_library;
  if (!task.opened_before.empty()) object["opened_before"] = task.opened_before;
  if (!task.calls_libtorch.empty()) object["calls_libtorch"] = task.calls_libtorch;
  if (task.runs_elsewhere) object["runs_elsewhere"] = true;
  object["plugin_name"] = task.plugin_name;
  object["plugin_version"] = task.plugin_version;
  if (!task.plugin_sha256.empty()) object["plugin_sha256"] = task.plugin_sha256;
  object["plugin_variant"] = task.plugin_variant;
  object["plugin_options"] = task.plugin_options;
  object["device"] = task.device;
  object["threads"] = task.threads;
  object["compile_threads"] = task.compile_threads;
  object["weights"] = task.weights;
  object["second_weights"] = task.second_weights;
  object["math"] = base::to_json(task.math);
  object["protocol"] = task.protocol;
  object["method"] = task.method;
  object["warmup"] = task.warmup;
  object["trials"] = task.trials;
  object["protocol_settings"] = task.protocol_settings;
  object["control"] = task.control;
  object["digest"] = task.digest;
  object["proof"] = task.proof;
  if (task.memory_limit_bytes) object["memory_limit_bytes"] = *task.memory_limit_bytes;
  object["limits_itself"] = task.limits_itself;
  object["asks"] = task.asks;
  if (task.flop_limit) object["flop_limit"] = *task.flop_limit;
  if (!task.dump_folder.empty()) object["dump_folder"] = task.dump_folder;
  if (!task.artifact_cache.empty()) object["artifact_cache"] = task.artifact_cache;
  if (!task.kept_file.empty()) object["kept_file"] = task.kept_file;
  if (!task.reference_file.empty()) object["reference_file"] = task.reference_file;
  object["command"] = task.command;
  object["run_id"] = task.run_id;
  return object;
}

base::Result<Task> task_from_json(const base::Json& json) {
  Task task;
  FieldReader fields(json);
  for (const char* key :
       {"sample_path",    "sample_name",    "plugin_library", "plugin_name", "plugin_version",
        "plugin_variant", "plugin_options", "device",         "threads",     "compile_threads",
        "weights",        "math",           "protocol",       "method",      "protocol_settings",
        "warmup",         "trials",         "limits_itself",  "asks",        "control",
        "digest",         "proof",          "command",        "run_id",      "second_weights"}) {
    fields.require(key);
  }
  fields.read("sample_path", task.sample_path)
      .read("sample_name", task.sample_name)
      .read("plugin_library", task.plugin_library)
      .read("opened_before", task.opened_before)
      .read("calls_libtorch", task.calls_libtorch)
      .read("runs_elsewhere", task.runs_elsewhere)
      .read("plugin_name", task.plugin_name)
      .read("plugin_version", task.plugin_version)
      .read("plugin_sha256", task.plugin_sha256)
      .read("plugin_variant", task.plugin_variant)
      .read_object("plugin_options", task.plugin_options)
      .read("device", task.device)
      .read("threads", task.threads)
      .read("compile_threads", task.compile_threads)
      .read("weights", task.weights)
      .read("second_weights", task.second_weights)
      .read("math", task.math)
      .read("protocol", task.protocol)
      .read("method", task.method)
      .read("warmup", task.warmup)
      .read("trials", task.trials)
      .read_object("protocol_settings", task.protocol_settings)
      .read("control", task.control)
      .read("digest", task.digest)
      .read("proof", task.proof)
      .read("memory_limit_bytes", task.memory_limit_bytes)
      .read("limits_itself", task.limits_itself)
      .read("asks", task.asks)
      .read("flop_limit", task.flop_limit)
      .read("dump_folder", task.dump_folder)
      .read("artifact_cache", task.artifact_cache)
      .read("kept_file", task.kept_file)
      .read("reference_file", task.reference_file)
      .read("command", task.command)
      .read("run_id", task.run_id);
  GN_RETURN_IF_ERROR(fields.status());
  if (task.compile_threads < 1) {
    return base::Status(base::Code::kInput, "'compile_threads' is less than 1");
  }
  if (task.threads < 1) return base::Status(base::Code::kInput, "'threads' is less than 1");
  if (task.warmup < 0) return base::Status(base::Code::kInput, "'warmup' is negative");
  if (task.trials < 1) return base::Status(base::Code::kInput, "'trials' is less than 1");
  return task;
}

}  // namespace graphnet::journal
