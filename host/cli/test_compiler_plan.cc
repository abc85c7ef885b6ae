// SPDX-License-Identifier: MIT
#include "cli/test_compiler_plan.h"

#include <algorithm>
#include <cstdlib>
#include <set>

#include "base/base64.h"
#include "base/device_name.h"
#include "base/text.h"
#include "cli/device_check.h"
#include "cli/flag_values.h"
#include "cli/output_file.h"
#include "cli/path_list.h"
#include "cli/plugin_state.h"
#include "cli/run_options.h"
#include "cli/sample_selection.h"
#include "config/yaml_reader.h"
#include "journal/run_id.h"
#include "measure/environment.h"
#include "sample/sample.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

Result<std::vector<ListedPath>> read_allow_list(const std::string& file) {
  Result<std::vector<ListedPath>> paths = read_path_list(file);
  if (!paths.is_ok()) return std::move(paths).status().add_context("--allow-list");
  return paths;
}

fs::path canonical_path(const fs::path& path) {
  std::error_code ignored;
  const fs::path absolute = fs::absolute(path, ignored);
  fs::path result = fs::weakly_canonical(absolute.empty() ? path : absolute, ignored);
  return result.has_filename() ? result : result.parent_path();
}

Result<ModeSelection> select_list(const TestCompilerFlags& flags) {
  std::error_code ignored;
  const fs::path prefix = *flags.model_path_prefix;
  if (!fs::is_directory(prefix, ignored)) {
    return Status(Code::kInput, "--model-path-prefix '" + prefix.string() + "' is no folder");
  }
  if (!flags.allow_list) {
    return Status(Code::kUsage,
                  "--model-path-prefix needs --allow-list, a file with one path a "
                  "line");
  }
  ModeSelection selection;
  selection.mode = SampleMode::kList;
  GN_ASSIGN_OR_RETURN(const auto listed, read_allow_list(*flags.allow_list));
  for (const auto& entry : listed) {
    const fs::path path = prefix / entry.path;
    if (!fs::exists(path, ignored)) {
      selection.missing.push_back(path);
    } else if (fs::exists(path / "model.py", ignored)) {
      selection.samples.push_back(path);
    }
  }
  return selection;
}

Result<ModeSelection> select_recursive(const TestCompilerFlags& flags) {
  ModeSelection selection;
  selection.mode = SampleMode::kRecursive;
  GN_ASSIGN_OR_RETURN(selection.samples, sample::discover(*flags.model_path));
  if (!flags.allow_list) return selection;
  GN_ASSIGN_OR_RETURN(const auto listed, read_allow_list(*flags.allow_list));
  std::set<fs::path> allowed;
  for (const auto& entry : listed) allowed.insert(canonical_path(entry.path));
  std::vector<fs::path> kept;
  for (const auto& path : selection.samples) {
    if (allowed.count(canonical_path(path)) > 0) kept.push_back(path);
  }
  selection.samples = std::move(kept);
  return selection;
}

/// What upstream's program compiles with if nothing is named.
constexpr const char* kUpstreamDefault = "inductor";

/// Upstream writes some names with hyphens that plugins do not have: "blade-disc".
std::string without_hyphens(std::string name) {
  name.erase(std::remove_if(name.begin(), name.end(),
                            [](char letter) { return letter == '-' || letter == '_'; }),
             name.end());
  return name;
}

/// --compiler: a plugin's name, or the path of a library; else upstream's default.
void choose_compiler(const Context& context, const TestCompilerFlags& flags,
                     config::RunConfig& run_config) {
  config::BackendChoice& backend = run_config.backend;
  backend.where = flags.compiler ? "--compiler" : "--compiler, whose default is upstream's";
  backend.name = flags.compiler.value_or(kUpstreamDefault);
  if (backend.name.find('/') != std::string::npos) {
    backend.library = backend.name;
    backend.name.clear();
    return;
  }
  const std::vector<std::string> names = usable_plugins(installed_plugins(context));
  if (std::find(names.begin(), names.end(), backend.name) != names.end()) return;
  for (const std::string& name : names) {
    if (without_hyphens(name) == without_hyphens(backend.name)) backend.name = name;
  }
}

/// --config: base64 of a JSON object, or "None".
Status read_options(const TestCompilerFlags& flags, config::RunConfig& run_config) {
  if (!flags.config || *flags.config == "None") return Status::ok();
  Result<std::string> text = base::decode_base64(*flags.config);
  if (!text.is_ok()) {
    return Status(Code::kUsage,
                  "--config must be base64 of a JSON object, got '" + *flags.config + "'")
        .add_hint("--config \"$(printf %s '{\"option\": 1}' | base64 -w0)\"")
        .add_hint("graphnet run --config CONFIG takes a run config");
  }
  GN_ASSIGN_OR_RETURN(const base::Json json, base::parse_json(*text, "--config, decoded,"));
  if (!json.is_object()) {
    return Status(Code::kInput,
                  "--config, decoded, must be a JSON object, got " + base::dump_json(json));
  }
  // JSON on one line is YAML, so one reader checks options from both.
  GN_ASSIGN_OR_RETURN(run_config.backend.options,
                      config::parse_flag_value("--config", base::dump_json(json), 0));
  return Status::ok();
}

/// --threads, else OMP_NUM_THREADS as upstream's torch takes it, else 0: all cores.
Result<int> read_threads(const TestCompilerFlags& flags) {
  GN_ASSIGN_OR_RETURN(const auto given,
                      read_count("--threads", flags.threads, 1, kMaxThreads, "auto"));
  if (given) return *given;
  const char* text = std::getenv(kThreadsVariable);
  if (text == nullptr) return 0;
  const auto from_environment = read_count(kThreadsVariable, text, 1, kMaxThreads);
  return from_environment.is_ok() ? from_environment->value_or(0) : 0;
}

Result<config::RunConfig> read_flags(const Context& context, const TestCompilerFlags& flags) {
  config::RunConfig run_config;
  const Result<base::DeviceName> device = base::parse_device_name(flags.device.value_or("cpu"));
  if (!device.is_ok())
    return Status(Code::kUsage, "--device: " + device.status().message())
        .add_hint(device.status().hints().front());
  run_config.device = device->text();
  run_config.allow_cold_start();
  GN_ASSIGN_OR_RETURN(const auto warmup, read_count("--warmup", flags.warmup, 0, kMaxCalls));
  GN_ASSIGN_OR_RETURN(const auto trials, read_count("--trials", flags.trials, 1, kMaxCalls));
  run_config.protocol = config::Protocol();
  run_config.protocol.name = "upstream";
  run_config.protocol.method = "upstream";
  run_config.protocol.warmup = warmup.value_or(run_config.protocol.warmup);
  run_config.protocol.trials = trials.value_or(run_config.protocol.trials);
  GN_ASSIGN_OR_RETURN(run_config.threads, read_threads(flags));
  run_config.origins["threads"] = flags.threads ? "--threads" : kThreadsVariable;
  GN_RETURN_IF_ERROR(check_threads(run_config, measure::affinity_cores()));
  GN_ASSIGN_OR_RETURN(const auto limit, read_time_limit("--timeout", flags.timeout));
  if (limit) run_config.timeouts["compile"] = run_config.timeouts["run"] = *limit;
  GN_RETURN_IF_ERROR(read_options(flags, run_config));
  choose_compiler(context, flags, run_config);
  return run_config;
}

/// For Record::command: this sample alone, as the user asked for it.
std::string repeat_command(const Context& context, const TestCompilerFlags& flags,
                           const journal::Task& task) {
  std::vector<std::string> words = {"graphnet",     "test-compiler",
                                    "--model-path", task.sample_path,
                                    "--compiler",   flags.compiler.value_or(task.plugin_name),
                                    "--device",     task.device,
                                    "--warmup",     std::to_string(task.warmup),
                                    "--trials",     std::to_string(task.trials),
                                    "--threads",    std::to_string(task.threads)};
  if (flags.config) words.insert(words.end(), {"--config", *flags.config});
  if (flags.kernel_time) words.emplace_back("--kernel-time");
  if (flags.timeout) words.insert(words.end(), {"--timeout", *flags.timeout});
  const std::vector<std::string> plugins = plugin_flags(context);
  words.insert(words.end(), plugins.begin(), plugins.end());
  return base::shell_command(words);
}

}  // namespace

Result<ModeSelection> select_by_mode(const TestCompilerFlags& flags) {
  if (flags.model_path_prefix) return select_list(flags);
  if (!flags.model_path) {
    return Status(Code::kUsage, "--model-path is missing")
        .add_hint("graphnet test-compiler --model-path samples/torchgeometric/GAT");
  }
  std::error_code ignored;
  if (!fs::is_directory(*flags.model_path, ignored)) {
    return Status(Code::kInput, "--model-path '" + *flags.model_path + "' is no folder");
  }
  if (!sample::is_sample(*flags.model_path)) return select_recursive(flags);
  ModeSelection selection;
  selection.samples.emplace_back(*flags.model_path);
  return selection;
}

Result<PreparedRun> plan_test_compiler(const Context& context, const TestCompilerFlags& flags,
                                       const ModeSelection& selection) {
  if (flags.output) GN_RETURN_IF_ERROR(check_output_file("--output", *flags.output));
  GN_ASSIGN_OR_RETURN(config::RunConfig run_config, read_flags(context, flags));
  PreparedRun run;
  GN_ASSIGN_OR_RETURN(config::Backend backend,
                      config::resolve_backend(context.installation, plugin_folders(context),
                                              std::move(run_config)));
  GN_RETURN_IF_ERROR(check_machine(context, backend));
  run.backends.push_back(std::move(backend));
  for (const auto& path : selection.samples) run.samples.push_back(planned_sample(path));
  run.run_id = journal::new_run_id();
  run.results = flags.output ? fs::path(*flags.output) : default_results(run.run_id);
  supervise::PlanSettings settings = plan_settings(run.run_id);
  settings.kept_folder = flags.kept_folder;
  settings.reference_folder = flags.reference_folder;
  run.plan = supervise::make_plan(run.samples, run.backends, settings);
  for (auto& planned : run.plan) {
    planned.task.command = repeat_command(context, flags, planned.task);
  }
  return run;
}

}  // namespace graphnet::cli
