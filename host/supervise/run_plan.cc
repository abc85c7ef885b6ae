// SPDX-License-Identifier: MIT
#include "supervise/run_plan.h"

#include <algorithm>
#include <map>

namespace graphnet::supervise {

namespace {

std::string repeat_command(const PlannedSample& sample, const config::Backend& backend,
                           const PlanSettings& settings) {
  std::vector<std::string> words = {"graphnet", "run", sample.path, "--config",
                                    backend.config.file.string()};
  words.insert(words.end(), settings.repeat_flags.begin(), settings.repeat_flags.end());
  return shell_command(words);
}

/// What a worker may use; nothing for no limit.
std::optional<std::int64_t> worker_memory(const config::MemoryLimit& limit,
                                          std::uint64_t free_bytes) {
  using Kind = config::MemoryLimit::Kind;
  const std::uint64_t bytes = limit.kind == Kind::kAuto ? free_bytes / 8 * 7 : limit.num_bytes;
  if (limit.kind == Kind::kNone || bytes == 0) return std::nullopt;
  return static_cast<std::int64_t>(bytes);
}

PlannedTask make_task(const PlannedSample& sample, const config::Backend& backend,
                      const PlanSettings& settings) {
  const config::RunConfig& config = backend.config;
  PlannedTask planned;
  planned.sample = sample;
  planned.library = backend.library;
  planned.refusal = backend.problem;
  planned.limits = config.timeouts;
  journal::Task& task = planned.task;
  task.sample_path = sample.path;
  task.plugin_library = backend.manifest.library.string();
  task.plugin_name = backend.manifest.name;
  task.plugin_version = backend.manifest.version;
  task.plugin_options = backend.options;
  task.device = config.device;
  task.threads = config.threads > 0 ? config.threads : settings.auto_threads;
  task.weights = config.weights;
  task.proof = config.proof;
  task.protocol = config.protocol.name;
  task.warmup = config.protocol.warmup;
  task.trials = config.protocol.trials;
  task.method = config.protocol.method;
  if (task.method == "paired") task.protocol_settings = config.protocol.paired;
  task.digest = settings.digest;
  task.memory_limit_bytes = worker_memory(config.limits.memory, settings.free_memory_bytes);
  if (config.limits.flop > 0) task.flop_limit = config.limits.flop;
  task.command = repeat_command(sample, backend, settings);
  task.run_id = settings.run_id;
  return planned;
}

/// What makes two results exchangeable, as text.
std::string identity(const std::string& sample, const std::string& plugin_sha256,
                     const journal::Task& task) {
  const base::Json parts = {
      sample,      plugin_sha256, task.plugin_name, task.plugin_version, task.plugin_options,
      task.device, task.threads,  task.weights,     task.protocol,       task.protocol_settings,
      task.warmup, task.trials};
  return base::dump_json(parts);
}

std::string identity(const journal::Record& record) {
  journal::Task task;
  task.plugin_name = record.plugin;
  task.plugin_version = record.plugin_version;
  task.plugin_options = record.plugin_options;
  task.device = record.device;
  task.threads = record.threads;
  task.weights = record.weights;
  task.protocol = record.protocol;
  task.protocol_settings = record.protocol_settings;
  task.warmup = record.warmup;
  task.trials = record.trials;
  return identity(record.sample, record.plugin_sha256, task);
}

/// What was skipped may fit by now, or under other limits; a plugin that was refused may have been
/// mended beside its library (a missing dependency, a file's mode). Finding out takes milliseconds.
bool was_tried(const journal::Record& record) {
  const bool was_refused = record.outcome == "plugin_failed" && record.phase.empty();
  return record.outcome != "skipped" && !was_refused;
}

std::string shell_word(const std::string& word) {
  constexpr const char* kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./=:,+@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char byte : word) {
    if (byte == '\'') {
      quoted += "'\\''";
    } else {
      quoted += byte;
    }
  }
  return quoted + "'";
}

}  // namespace

std::vector<PlannedTask> make_plan(const std::vector<PlannedSample>& samples,
                                   const std::vector<config::Backend>& backends,
                                   const PlanSettings& settings) {
  std::vector<PlannedTask> plan;
  plan.reserve(samples.size() * backends.size());
  for (const auto& sample : samples) {
    for (const auto& backend : backends) plan.push_back(make_task(sample, backend, settings));
  }
  return plan;
}

std::size_t drop_done(std::vector<PlannedTask>& plan, const std::vector<journal::Record>& records) {
  std::map<std::string, int> num_done;
  for (const auto& record : records) {
    if (was_tried(record)) ++num_done[identity(record)];
  }
  const std::size_t num_planned = plan.size();
  const auto is_done = [&](const PlannedTask& planned) {
    const auto done =
        num_done.find(identity(planned.sample.name, planned.library.sha256, planned.task));
    return done != num_done.end() && done->second-- > 0;
  };
  plan.erase(std::remove_if(plan.begin(), plan.end(), is_done), plan.end());
  return num_planned - plan.size();
}

std::string shell_command(const std::vector<std::string>& words) {
  std::string command;
  for (const auto& word : words) command += (command.empty() ? "" : " ") + shell_word(word);
  return command;
}

}  // namespace graphnet::supervise
