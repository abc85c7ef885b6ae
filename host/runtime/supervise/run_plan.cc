// SPDX-License-Identifier: MIT
#include "supervise/run_plan.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "journal/task_key.h"
#include "outputs/kept_outputs.h"

namespace graphnet::supervise {

namespace {

std::string repeat_command(const PlannedSample& sample, const config::Backend& backend,
                           const PlanSettings& settings) {
  std::vector<std::string> words = {"graphnet", "run", sample.path, "--config",
                                    backend.config.file.string()};
  words.insert(words.end(), settings.repeat_flags.begin(), settings.repeat_flags.end());
  if (!sample.device.empty()) words.insert(words.end(), {"--devices", sample.device});
  return base::shell_command(words);
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
  planned.may_use_group = config.limits.memory_by == "auto";
  journal::Task& task = planned.task;
  task.sample_path = sample.path;
  task.sample_name = sample.name;
  task.plugin_library = backend.manifest.library.string();
  for (const auto& file : backend.manifest.opened_before()) {
    task.opened_before.push_back(file.string());
  }
  task.calls_libtorch = backend.manifest.calls_libtorch;
  task.runs_elsewhere = backend.manifest.has_capability(config::kRunsElsewhere);
  task.plugin_name = backend.manifest.name;
  task.plugin_version = backend.manifest.version;
  task.plugin_sha256 = backend.library.sha256;
  task.plugin_variant = backend.variant;
  task.plugin_options = backend.options;
  task.device = sample.device.empty() ? config.device : sample.device;
  task.threads = config.threads > 0 ? config.threads : settings.auto_threads;
  task.compile_threads =
      config.compile_threads > 0 ? config.compile_threads : settings.auto_threads;
  planned.compile_threads = config.compile_threads;
  task.weights = config.weights;
  task.second_weights = config.second_weights;
  task.math = config.math;
  task.proof = config.proof;
  task.protocol = config.protocol.name;
  task.warmup = config.protocol.warmup;
  task.trials = config.protocol.trials;
  task.method = config.protocol.method;
  if (task.method == "paired") task.protocol_settings = config.protocol.paired;
  task.digest = settings.digest;
  task.artifact_cache = settings.artifact_cache.string();
  if (!settings.dump_folder.empty()) {
    task.dump_folder = (settings.dump_folder / sample.name / backend.variant).string();
  }
  const auto kept_in = [&](const std::filesystem::path& folder) {
    return folder.empty() ? "" : outputs::kept_file(folder, sample.name, backend.variant).string();
  };
  task.kept_file = kept_in(settings.kept_folder);
  task.reference_file = kept_in(settings.reference_folder);
  task.memory_limit_bytes = worker_memory(config.limits.memory, settings.free_memory_bytes);
  if (config.limits.flop > 0) task.flop_limit = config.limits.flop;
  task.command = repeat_command(sample, backend, settings);
  task.run_id = settings.run_id;
  planned.graphnet = settings.graphnet;
  return planned;
}

/// Gives each task its key; equal ones are told apart by their number.
void add_keys(std::vector<PlannedTask>& plan, const PlanSettings& settings) {
  std::map<std::string, int> num_equal;
  for (PlannedTask& planned : plan) {
    journal::TaskIdentity identity;
    identity.sample = planned.sample.name;
    identity.sample_sha256 = planned.sample.content_sha256;
    identity.plugin_sha256 = planned.library.sha256;
    identity.task = planned.task;
    identity.compile_threads = planned.compile_threads;
    identity.hardware = settings.hardware;
    identity.graphnet = settings.graphnet;
    planned.key = journal::task_key(identity);
    identity.repeat = num_equal[planned.key]++;
    if (identity.repeat > 0) planned.key = journal::task_key(identity);
  }
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
  add_keys(plan, settings);
  return plan;
}

std::size_t drop_done(std::vector<PlannedTask>& plan, const journal::FinishedTasks& finished,
                      Retry retry) {
  const std::size_t num_planned = plan.size();
  const auto is_done = [&](PlannedTask& planned) {
    const auto found = finished.by_key.find(planned.key);
    if (found == finished.by_key.end()) return false;
    planned.attempt = found->second.attempts + 1;
    return !found->second.is_open &&
           (retry != Retry::kFailed || found->second.outcome == record::Outcome::kOk);
  };
  plan.erase(std::remove_if(plan.begin(), plan.end(), is_done), plan.end());
  return num_planned - plan.size();
}

base::Status check_library(const PlannedTask& planned) {
  if (planned.library.stamp.empty() ||
      planned.library.stamp == config::file_stamp(planned.task.plugin_library)) {
    return base::Status::ok();
  }
  return base::Status(base::Code::kPlugin, "the library of plugin '" + planned.task.plugin_name +
                                               "' changed while the run was going on")
      .add_context(planned.task.plugin_library)
      .add_hint(
          "start the run again; --resume with the same results file repeats what the new "
          "library has not run");
}

}  // namespace graphnet::supervise
