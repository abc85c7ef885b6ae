// SPDX-License-Identifier: MIT
#include "cli/plugin_trial.h"

#include <filesystem>
#include <utility>

#include "base/field_reader.h"
#include "base/json.h"
#include "cli/device_check.h"
#include "cli/plugin_state.h"
#include "config/resolve_backend.h"
#include "measure/environment.h"
#include "supervise/ask_worker.h"

namespace graphnet::cli {

namespace fs = std::filesystem;
using base::Result;

Result<std::vector<supervise::PlannedTask>> plan_trials(
    const Context& context, const std::vector<supervise::PlannedSample>& samples,
    const std::string& config, TrialKind kind) {
  GN_ASSIGN_OR_RETURN(const fs::path file, config::find_config(context.installation, config));
  GN_ASSIGN_OR_RETURN(config::RunConfig run_config,
                      config::read_run_config(file, {}, context.installation.config_folders()));
  GN_ASSIGN_OR_RETURN(config::Backend backend,
                      config::resolve_backend(context.installation, plugin_folders(context),
                                              std::move(run_config)));
  if (kind == TrialKind::kCompile) GN_RETURN_IF_ERROR(backend.unavailable);
  std::string& device = backend.config.device;
  if (kind == TrialKind::kCheck && !check_device(context, device).is_ok()) device = "cpu";
  supervise::PlanSettings settings;
  settings.auto_threads = measure::affinity_cores();
  return supervise::make_plan(samples, {backend}, settings);
}

Result<supervise::PlannedTask> plan_trial(const Context& context,
                                          const supervise::PlannedSample& sample,
                                          const std::string& config) {
  GN_ASSIGN_OR_RETURN(std::vector<supervise::PlannedTask> plan,
                      plan_trials(context, {sample}, config, TrialKind::kCompile));
  return std::move(plan.front());
}

std::optional<std::chrono::milliseconds> whole_limit(const supervise::PlannedTask& planned) {
  std::chrono::milliseconds sum(0);
  for (const auto& [phase, limit] : planned.limits) {
    if (!limit) return std::nullopt;
    sum += *limit;
  }
  return sum;
}

Result<CompileTrial> try_compile(const Context& context, const supervise::PlannedTask& planned,
                                 bool check_only) {
  supervise::AskSettings settings;
  GN_ASSIGN_OR_RETURN(settings.executable, context.installation.worker_executable());
  settings.limit = whole_limit(planned);
  settings.threads = planned.task.threads;
  GN_ASSIGN_OR_RETURN(const base::Json answer,
                      supervise::ask_worker(
                          settings, "compile_trial",
                          {{"task", journal::to_json(planned.task)}, {"check_only", check_only}}));
  CompileTrial trial;
  std::string outcome;
  base::FieldReader fields(answer);
  fields.require("outcome").read("outcome", outcome).read("message", trial.message);
  GN_RETURN_IF_ERROR(fields.status());
  trial.outcome = record::Word<record::Outcome>(outcome);
  return trial;
}

}  // namespace graphnet::cli
