// SPDX-License-Identifier: MIT
#include "worker/plugin_phases.h"

#include <algorithm>
#include <cstdint>
#include <functional>

#include "base/memory.h"
#include "measure/clock.h"
#include "verify/compare.h"
#include "verify/correctness_json.h"
#include "worker/fresh_inputs.h"
#include "worker/input_evidence.h"
#include "worker/output_digest.h"
#include "worker/record_writer.h"

namespace graphnet::worker {

using base::Result;
using base::Status;
using record::Outcome;

std::unique_ptr<PluginSide> make_plugin_side(SessionLog& log, const sample::Sample& sample,
                                             EagerSide& eager) {
  return std::make_unique<PluginSide>(log.task(), sample.name, eager.arguments(), eager.kept(),
                                      &eager, [&log](const char* step) { log.begin_step(step); });
}

Result<SettingsWatch> compile_plugin(SessionLog& log, const EagerSide& eager, PluginSide& plugin,
                                     Machine& machine, proof::MapHistory& mappings) {
  machine.bind(log.task().compile_threads);
  SettingsWatch engine_settings;
  engine_settings.note();
  machine.available_bytes = base::available_memory_bytes();
  plugin::CallStatus status = plugin.open();
  if (!status.is_ok()) return log.end_plugin(Outcome::kPluginFailed, plugin, status);
  note_mappings(log.task(), "load", mappings);
  plugin.offer_body(eager.engine().normal_form(plugin.weights()));
  CompileTimes times;
  status = plugin.compile(times);
  record::Record& record = log.record();
  record.plugin_side.compile_ns = times.compile_ns;
  record.plugin_side.load_ns = times.load_ns;
  if (!times.note.empty()) record.notes.push_back(times.note);
  if (!status.is_ok()) return log.end_plugin(Outcome::kCompileFailed, plugin, status);
  return engine_settings;
}

Status bind_weights(SessionLog& log, PluginSide& plugin, proof::MapHistory& mappings) {
  record::Record& record = log.record();
  double bind_ns = 0;
  const plugin::CallStatus status = plugin.bind(bind_ns);
  record.plugin_side.bind_ns = bind_ns;
  if (!status.is_ok()) return log.end_plugin(Outcome::kCompileFailed, plugin, status);
  record.plugin_side.kept_bytes = static_cast<std::int64_t>(plugin.kept_bytes());
  const plugin::CallStatus described = plugin.describe(record.plugin_info);
  note_mappings(log.task(), "compile", mappings);
  if (described.kind == plugin::FailureKind::kBroken) {
    return log.end_plugin(Outcome::kPluginFailed, plugin, described);
  }
  // What it says of itself decides nothing.
  if (!described.is_ok()) record.notes.push_back("info: " + one_line(described.status));
  return Status::ok();
}

namespace {

Status finish_run(SessionLog& log, const PluginSide& plugin, const SettingsWatch& engine_settings,
                  Machine& machine) {
  record::Record::Side& side = log.record().plugin_side;
  write_output_types(side, plugin.kept());
  log.note_peak_memory(&side);
  log.judge_service(plugin);
  machine.cores.release();
  return log.note(engine_settings.findings(), plugin);
}

}  // namespace

Result<measure::Warmup> warm_up_plugin(SessionLog& log, const ComparedSample& compared,
                                       const measure::PairedSettings& settings,
                                       const SettingsWatch& engine_settings, Machine& machine) {
  const int threads = log.task().threads;
  machine.bind(threads);
  WarmupInputs inputs(compared.sample, compared.eager);
  measure::Warmup warmup;
  const plugin::CallStatus called =
      compared.plugin.warm_up(settings, threads, warmup, inputs.renew());
  const Status restored = inputs.restore();
  if (called.is_ok() && !restored.is_ok()) return log.end_calls(compared.plugin, restored);
  write_warmup(log.record().plugin_side, warmup);
  const bool is_own = !compared.plugin.failure().is_ok();
  const Outcome failed = is_own ? Outcome::kRuntimeFailed : Outcome::kReferenceFailed;
  if (!called.is_ok()) return log.end_plugin(failed, compared.plugin, called);
  GN_RETURN_IF_ERROR(finish_run(log, compared.plugin, engine_settings, machine));
  return warmup;
}

Status measure_plugin(SessionLog& log, const ComparedSample& compared,
                      const SettingsWatch& engine_settings, Machine& machine) {
  measure::SideDurations durations;
  const plugin::CallStatus called =
      compared.plugin.measure({log.task().warmup, log.task().trials}, durations);
  if (!called.is_ok()) return log.end_plugin(Outcome::kRuntimeFailed, compared.plugin, called);
  record::Record& record = log.record();
  write_side(record, measure::kBackend, durations);
  record.speedup = *record.eager.median_ns / std::max(1.0, *record.plugin_side.median_ns);
  return finish_run(log, compared.plugin, engine_settings, machine);
}

void compare_first_outputs(SessionLog& log, const ComparedSample& compared) {
  record::Record& record = log.record();
  const verify::Comparison comparison = compare_sides(compared, record.checks);
  if (log.is_paired()) {
    const Status again = check_reproducibility(compared, record.checks);
    if (!again.is_ok()) record.notes.push_back("eager's second run: " + again.message());
  }
  record.checks.subnormals = count_subnormals(compared);
  record.outcome = comparison.outcome;
  record.message = comparison.message;
  record.degenerate = comparison.degenerate;
  record.checks.evidence_share = comparison.evidence_share;
  record.correctness = verify::correctness_json(comparison);
  if (log.task().digest) record.digest["plugin_outputs"] = output_digests(compared.plugin.kept());
  log.send();
}

namespace {

// Of each side, within this time. A call that takes longer fills the caches itself.
constexpr int kCallsAgain = 10;
constexpr std::int64_t kTimeAgainNs = 50'000'000;

Status call_again(const measure::SideCalls& side, const std::function<Status()>& renew) {
  const std::int64_t begin_ns = measure::monotonic_raw_ns();
  for (int i = 0; i < kCallsAgain; ++i) {
    GN_RETURN_IF_ERROR(renew());
    GN_RETURN_IF_ERROR(side.prepare());
    GN_RETURN_IF_ERROR(side.call());
    if (measure::monotonic_raw_ns() - begin_ns > kTimeAgainNs) break;
  }
  return Status::ok();
}

// Other weights have been in the caches, and what bind has made anew was used in one call at most.
Status warm_up_again(SessionLog& log, const ComparedSample& compared, double eager_ns,
                     Machine& machine) {
  if (eager_ns > static_cast<double>(kTimeAgainNs)) return Status::ok();
  log.begin_step("gn_backend_run");
  machine.bind(log.task().threads);
  WarmupInputs inputs(compared.sample, compared.eager);
  Status called = call_again(compared.eager.calls(), inputs.renew());
  if (called.is_ok()) called = call_again(compared.plugin.calls(), inputs.renew());
  const Status restored = inputs.restore();
  machine.cores.release();
  if (!called.is_ok()) return log.end_calls(compared.plugin, called);
  return restored.is_ok() ? restored : log.end_calls(compared.plugin, restored);
}

}  // namespace

Status follow_inputs(SessionLog& log, const ComparedSample& compared,
                     const measure::PairedSettings& settings,
                     const measure::PerSide<double>& call_ns, TaskDevice& device,
                     Machine& machine) {
  log.send();
  const int threads = log.task().threads;
  const SecondTimingMeans means = {
      settings,
      [&](const measure::PairedSettings& pairs) { return device.instruments(pairs, threads); },
      [&](int count) { machine.bind(count); }, call_ns, machine.available_bytes};
  machine.bind(threads);
  record::Record& record = log.record();
  if (!check_evidence_of_inputs(compared, log.task(), means, record)) {
    log.judge_service(compared.plugin);
    return Status(base::Code::kPlugin, record.message);
  }
  return warm_up_again(log, compared, call_ns[measure::kEager], machine);
}

}  // namespace graphnet::worker
