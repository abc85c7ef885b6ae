// SPDX-License-Identifier: MIT
#include "worker/session.h"

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "measure/environment.h"
#include "worker/kept_reference.h"
#include "worker/plugin_phases.h"
#include "worker/proof_phase.h"
#include "worker/record_writer.h"
#include "worker/reference_phases.h"
#include "worker/session_log.h"
#include "worker/session_machine.h"
#include "worker/timing_phase.h"

namespace graphnet::worker {

using base::Status;
using record::Phase;

namespace {

/// What phases have made that lives until the final record has been sent. Each borrows from those
/// above it.
struct Made {
  std::unique_ptr<TaskDevice> device;
  sample::Sample sample;
  std::vector<sample::Argument> arguments;
  std::unique_ptr<EagerSide> eager;
  std::unique_ptr<PluginSide> plugin;
  proof::MapHistory mappings;
  Machine machine;
  std::unique_ptr<EagerStandby> standby;

  /// After phase compile.
  ComparedSample compared() { return {sample, arguments, *eager, *plugin}; }
};

// The phases in their order. An error: the sample ended, and the log has said why.

Status prepare_sample(SessionLog& log, const OpenDevice& open, Made& made) {
  log.enter(Phase::kLoad);
  GN_ASSIGN_OR_RETURN(made.device, open_device(log, open, made.mappings));
  GN_ASSIGN_OR_RETURN(made.sample, load_files(log));
  log.enter(Phase::kPlan);
  GN_RETURN_IF_ERROR(plan_memory(log, made.sample, *made.device));
  log.enter(Phase::kInputs);
  GN_ASSIGN_OR_RETURN(made.arguments, generate_inputs(log, made.sample));
  return Status::ok();
}

/// Gives libtorch's settings from before the plugin was loaded.
base::Result<SettingsWatch> make_executable(SessionLog& log, Made& made) {
  log.enter(Phase::kCompile);
  made.plugin = make_plugin_side(log, made.sample, *made.eager);
  GN_ASSIGN_OR_RETURN(SettingsWatch engine_settings,
                      compile_plugin(log, *made.eager, *made.plugin, made.machine, made.mappings));
  log.enter(Phase::kBind);
  GN_RETURN_IF_ERROR(bind_weights(log, *made.plugin, made.mappings));
  return engine_settings;
}

/// Method `paired`.
Status measure_paired(SessionLog& log, Made& made) {
  log.enter(Phase::kEager);
  GN_ASSIGN_OR_RETURN(const measure::PairedSettings settings, read_paired_settings(log));
  made.standby = prepare_machine(log.task(), settings, *made.device, made.sample, made.arguments,
                                 made.machine);
  GN_ASSIGN_OR_RETURN(made.eager, create_eager(log, made.sample, made.arguments, *made.device));
  GN_ASSIGN_OR_RETURN(const EagerAlone eager,
                      warm_up_eager(log, settings, made.sample, *made.eager, made.mappings));
  GN_ASSIGN_OR_RETURN(const SettingsWatch engine_settings, make_executable(log, made));
  const ComparedSample compared = made.compared();
  log.enter(Phase::kRun);
  GN_ASSIGN_OR_RETURN(const measure::Warmup warmup,
                      warm_up_plugin(log, compared, settings, engine_settings, made.machine));
  log.enter(Phase::kCompare);
  compare_first_outputs(log, compared);
  if (log.record().is_ok()) {
    log.enter(Phase::kSecondWeights);
    GN_RETURN_IF_ERROR(follow_inputs(log, compared, settings,
                                     {eager.warmup.typical_ns(), warmup.typical_ns()}, *made.device,
                                     made.machine));
  }
  log.enter(Phase::kTime);
  const Status timed = time_pairs(log, {compared, settings, eager, warmup, engine_settings,
                                        *made.device, made.machine, made.standby.get()});
  made.standby.reset();  // later phases would take it for a process of the plugin's
  GN_RETURN_IF_ERROR(timed);
  log.enter(Phase::kRobustness);
  try_other_content(log, compared);
  return Status::ok();
}

/// Method `upstream`: one side after the other, each in the phase of its first call.
Status measure_upstream(SessionLog& log, Made& made) {
  log.enter(Phase::kEager);
  GN_ASSIGN_OR_RETURN(made.eager, create_eager(log, made.sample, made.arguments, *made.device));
  GN_RETURN_IF_ERROR(measure_eager(log, *made.eager, made.mappings));
  GN_ASSIGN_OR_RETURN(const SettingsWatch engine_settings, make_executable(log, made));
  const ComparedSample compared = made.compared();
  log.enter(Phase::kRun);
  GN_RETURN_IF_ERROR(measure_plugin(log, compared, engine_settings, made.machine));
  log.enter(Phase::kCompare);
  compare_first_outputs(log, compared);
  log.enter(Phase::kTime);
  return check_sequential(log, compared, *made.device);
}

Status measure_sample(SessionLog& log, const OpenDevice& open, Made& made) {
  GN_RETURN_IF_ERROR(prepare_sample(log, open, made));
  GN_RETURN_IF_ERROR(log.is_paired() ? measure_paired(log, made) : measure_upstream(log, made));
  // What a plugin says of itself may now include where the time of its calls went.
  static_cast<void>(made.plugin->describe(log.record().plugin_info));
  return Status::ok();
}

void write_environment(const TaskDevice* device, int threads, record::Record& record) {
  base::Json environment = measure::collect_environment(threads);
  if (device != nullptr) device->describe(environment);
  record.environment = record::part_from_json<record::Environment>(std::move(environment));
  write_engine(record);
}

std::vector<Finding> helper_findings(const std::vector<std::string>& names) {
  if (names.empty()) return {};
  return {
      {record::Flag::kHelperProcess,
       "processes that the plugin started ran during proof tracing: " + base::join(names, ", ")}};
}

void prove(SessionLog& log, const ComparedSample& compared, const proof::MapHistory& mappings,
           TaskDevice& device, measure::ProcessFamily& family) {
  log.send();
  log.begin_step("gn_backend_run");
  std::optional<DeviceTracing> tracing;
  if (device.is_cuda()) tracing.emplace(*device.gpu(), device.tracing());
  record::Record& record = log.record();
  ProofPhase phase(compared, mappings, log.task().proof,
                   {record.flags, record.plugin_side.median_ns.value_or(0)},
                   tracing ? &*tracing : nullptr, &family);
  phase.declare(log.task().calls_libtorch, log.task().runs_elsewhere);
  base::Json ledger = base::Json::object();
  record.verdict = phase.trace(ledger);
  record.proof = record::part_from_json<record::Proof>(std::move(ledger));
  static_cast<void>(log.note(helper_findings(phase.helpers()), compared.plugin));
}

/// Kept for others, and beside what others kept.
void look_at_outputs(SessionLog& log, Made& made, bool is_measured) {
  if (!made.eager) return;
  keep_session_outputs(log, made.sample, *made.eager, made.plugin.get());
  std::optional<ComparedSample> compared;
  if (is_measured) compared.emplace(made.compared());
  compare_with_reference(log, *made.eager, made.plugin.get(), compared ? &*compared : nullptr);
}

}  // namespace

void run_session(const journal::Task& task, Channel& channel, const OpenDevice& open) {
  SessionLog log(task, channel);
  forget_kept_outputs(log);
  Made made;
  const bool is_measured = measure_sample(log, open, made).is_ok();
  made.machine.cores.release();
  // Before the proof, after which libtorch may have lost the right to execute for good.
  write_environment(made.device.get(), task.threads, log.record());
  look_at_outputs(log, made, is_measured);
  if (is_measured && task.proof != "none") {
    log.enter(Phase::kProof);
    prove(log, made.compared(), made.mappings, *made.device, made.machine.family);
  }
  log.finish();
}

}  // namespace graphnet::worker
