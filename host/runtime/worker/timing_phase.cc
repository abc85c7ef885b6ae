// SPDX-License-Identifier: MIT
#include "worker/timing_phase.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <utility>
#include <vector>

#include "base/statistics.h"
#include "base/text.h"
#include "eager/flush_denormals.h"
#include "measure/paired.h"
#include "measure/roofline.h"
#include "worker/eager_watch.h"
#include "worker/fresh_inputs.h"
#include "worker/more_pairs.h"
#include "worker/record_writer.h"
#include "worker/second_timing.h"
#include "worker/timed_checks.h"
#include "worker/untimed_work.h"

namespace graphnet::worker {

using base::Result;
using base::Status;
using measure::PairedResult;
using record::Flag;
using record::Outcome;

namespace {

// Beyond what a small sample takes for all contents; large ones try as many as fit.
constexpr double kOtherInputsBudgetNs = 250e6;

// Up to this share of other floating numbers the arithmetic counts as that of float32.
constexpr double kFewOthers = 0.1;

// Contents that method upstream compares after its timed calls.
constexpr int kUntimedChecks = 5;

/// Captures the plugin's call and warms up its launches.
Result<measure::Warmup> capture(SessionLog& log, const PairMeans& means) {
  const ComparedSample& compared = means.compared;
  PluginSide& plugin = compared.plugin;
  double capture_ns = 0;
  plugin::CallStatus status = plugin.capture(capture_ns);
  if (!status.is_ok()) return log.end_plugin(Outcome::kRuntimeFailed, plugin, status);
  log.record().plugin_side.capture_ns = capture_ns;
  WarmupInputs inputs(compared.sample, compared.eager);
  measure::Warmup launches;
  status = plugin.warm_up_replays(means.settings, log.task().threads, launches, inputs.renew());
  const Status restored = inputs.restore();
  if (!restored.is_ok()) return log.end_calls(plugin, restored);
  if (!status.is_ok()) return log.end_plugin(Outcome::kRuntimeFailed, plugin, status);
  return launches;
}

TimedChecks timed_checks(const ComparedSample& compared, const record::Record& record) {
  return {compared, fresh_inputs(compared.sample, compared.eager), record.is_ok()};
}

/// Writes what checks of timed calls found, which may end the sample.
Status note_checks(SessionLog& log, const TimedFindings& findings, const PluginSide& plugin) {
  write_findings(log.record(), findings);
  if (findings.flag == Flag::kNone) return Status::ok();
  log.judge_service(plugin);
  return Status(base::Code::kPlugin, findings.message);
}

void write_first_pass(const PairMeans& means, const std::optional<measure::Warmup>& launches,
                      const PairedResult& pairs, const TimedFindings& findings,
                      record::Record& record) {
  write_timing(record, pairs);
  if (launches) {
    write_replay(record.timing, means.compared.plugin.num_graph_nodes(), *launches,
                 means.plugin_warmup);
  }
  write_spans(record.timing, findings.span_ns);
}

/// Those of calls outside the timed pairs.
measure::Instruments machine_instruments(const SessionLog& log, const PairMeans& means) {
  auto instruments = measure::machine_instruments(means.settings, log.task().threads);
  if (means.machine.clock) measure::count_inherited(instruments, *means.machine.clock);
  return instruments;
}

/// For a doubt that no second look confirmed and none dispelled.
void claim_nothing(record::Timing& timing, const char* reason) {
  timing.verdict = record::TimingVerdict::kUnstable;
  timing.same_within.reset();
  timing.unstable_because = reason;
}

/// What is compared in the first pass alone.
void check_first_pass(SessionLog& log, const PairMeans& means, const PairedResult& pairs,
                      const TimedFindings& findings) {
  record::Record& record = log.record();
  const EagerTimes times = eager_times(means.eager.warmup, pairs.pairs);
  record.checks.eager_watch = {{"before_ns", times.before_ns}, {"in_pairs_ns", times.in_pairs_ns}};
  const std::vector<int>& cores = means.machine.cores.cores();
  if (!cores.empty()) record.timing.cores = cores;
  SecondLooks looks;
  looks.without_plugin = [&] {
    return steps_without_plugin(means.standby, pairs.has_leading_call);
  };
  looks.in_more_pairs = [&]() -> std::optional<double> {
    const auto more = time_more_pairs(means.compared, pairs.summary.median_ns, means.settings,
                                      machine_instruments(log, means));
    return more.is_ok() ? std::optional<double>(plugin_steps_ns(*more)) : std::nullopt;
  };
  const SecondLook steps = check_untimed_work(means.eager.host_steps, pairs, findings.copies_ns,
                                              record.checks.host_steps, looks);
  static_cast<void>(log.note(steps.findings, means.compared.plugin));
  if (steps.is_in_pairs_only) claim_nothing(record.timing, "steps");
  static_cast<void>(log.note(check_contents(pairs, findings.content_bits), means.compared.plugin));
}

/// The pairs of one cache mode.
Result<PairedResult> time_pass(SessionLog& log, const PairMeans& means,
                               const std::optional<measure::Warmup>& launches,
                               const measure::PairedSettings& settings, bool is_first) {
  const ComparedSample& compared = means.compared;
  const int threads = log.task().threads;
  TimedChecks checks = timed_checks(compared, log.record());
  auto instruments = means.device.instruments(settings, threads);
  if (!instruments.is_ok()) return log.end(Outcome::kReferenceFailed, instruments.status());
  Machine& machine = means.machine;
  TimingWatch watch(machine.family, machine.clock ? &*machine.clock : nullptr,
                    machine.forks ? &*machine.forks : nullptr, threads);
  watch.attach(*instruments, machine.cores.cores());
  const measure::Warmup& warmup = launches ? *launches : means.plugin_warmup;
  auto pairs = measure::time_paired(checks.sides(), {means.eager.warmup, warmup},
                                    watch.around(checks.hooks()), settings, *instruments);
  const TimedFindings findings = checks.finish(pairs.is_ok() ? &*pairs : nullptr);
  if (pairs.is_ok() && is_first) {
    write_first_pass(means, launches, *pairs, findings, log.record());
  } else if (pairs.is_ok()) {
    write_cold_timing(log.record(), *pairs);
    write_spans(log.record().timing.cold, findings.span_ns);
  }
  GN_RETURN_IF_ERROR(note_checks(log, findings, compared.plugin));
  if (!pairs.is_ok()) return log.end_calls(compared.plugin, pairs.status());
  for (const Status& status : {findings.restored, means.device.flush_status()}) {
    if (!status.is_ok()) return log.end_calls(compared.plugin, status);
  }
  // First: a trap on the counter says more than steps that it made longer.
  const Status watched = log.note(watch.findings(*pairs), compared.plugin);
  if (is_first) check_first_pass(log, means, *pairs, findings);
  GN_RETURN_IF_ERROR(watched);
  GN_RETURN_IF_ERROR(log.note(means.engine_settings.findings(), compared.plugin));
  return pairs;
}

/// All cache modes, one after the other. Gives the pairs of the first.
Result<PairedResult> time_passes(SessionLog& log, const PairMeans& means,
                                 const std::optional<measure::Warmup>& launches) {
  std::optional<PairedResult> first;
  for (const measure::PairedSettings& settings : measure::passes(means.settings)) {
    GN_ASSIGN_OR_RETURN(PairedResult pairs, time_pass(log, means, launches, settings, !first));
    if (!first) first = std::move(pairs);
  }
  return std::move(*first);
}

/// Whether eager in the pairs was as before; see eager_watch.h.
Status watch_eager(SessionLog& log, const PairMeans& means, const PairedResult& pairs) {
  const ComparedSample& compared = means.compared;
  const EagerTimes times = eager_times(means.eager.warmup, pairs.pairs);
  SecondLook seen;
  if (is_suspicious(times, pairs.summary)) {
    const auto instruments = machine_instruments(log, means);
    seen = confirm_slowed({compared, means.standby, pairs, means.settings, instruments}, times,
                          log.record().checks.eager_watch);
  }
  means.machine.cores.release();  // no times are taken from here on
  if (seen.is_in_pairs_only) claim_nothing(log.record().timing, "eager");
  return log.note(seen.findings, compared.plugin);
}

// Arithmetic on subnormals can be a hundred times slower; a plugin that flushes them to zero would
// look that much faster.
void check_subnormals(const journal::Task& task, EagerSide& eager, record::Record& record) {
  if (task.math.flush_denormals) return;  // both sides do
  const record::Subnormals& shares = record.checks.subnormals;
  const double largest =
      std::max(shares.argument_share.value_or(0), shares.output_share.value_or(0));
  if (largest < kSubnormalShare) return;
  record.flags.emplace_back(Flag::kDenormal);
  if (!eager::set_flush_denormals(true)) return;
  measure::SideCalls calls = eager.calls();
  calls.after_first = nullptr;  // the kept outputs are those of the reference
  const auto flushed = measure::time_sequential(calls, {1, 5});
  eager::set_flush_denormals(false);
  if (!flushed.is_ok()) {
    record.notes.push_back("eager without subnormals: " + flushed.status().message());
    return;
  }
  record.checks.eager_flushed_ns = base::summarise(flushed->trials_ns).median;
}

void check_least_time(const measure::Work& work, const measure::Peaks& peaks, int threads,
                      record::Record& record) {
  const double least_ns = measure::least_time_ns(work, peaks, threads);
  record.checks.least_time_ns = least_ns;
  if (*record.plugin_side.median_ns >= least_ns) return;
  record.flags.emplace_back(Flag::kImplausible);
  record.notes.push_back("implausible: the plugin's median is shorter than the " +
                         base::format_duration(least_ns) +
                         " that this machine needs at least for the graph's arithmetic");
}

/// The rate at which as many bytes as a call must move are read.
double read_rate(const std::vector<sample::Argument>& arguments, double bytes,
                 const measure::Peaks& peaks, int threads) {
  std::vector<measure::MemoryRange> ranges;
  auto left = static_cast<std::size_t>(bytes);
  for (const sample::Argument& argument : arguments) {
    ranges.push_back({argument.bytes.data(), std::min(left, argument.bytes.num_bytes())});
    left -= ranges.back().bytes;
  }
  const double rate = measure::measure_read_rate(ranges, threads);
  // What is too short to be timed is in the first cache.
  return rate > 0 ? rate : peaks.bytes_per_s * threads;
}

/// The times against what the machine can do at most; a device's limits are not known.
void check_roofline(const std::vector<sample::Argument>& arguments, int threads, bool is_on_device,
                    record::Record& record) {
  if (is_on_device) {
    record.notes.emplace_back(kNoteDeviceChecks);
    return;
  }
  if (!record.plugin_side.median_ns || !record.plan.live_flop) return;
  const auto bytes_of = [&](std::initializer_list<base::DType> dtypes) {
    std::size_t bytes = 0;
    for (const sample::Argument& argument : arguments) {
      const bool counts = std::count(dtypes.begin(), dtypes.end(), argument.dtype) > 0;
      bytes += counts ? argument.bytes.num_bytes() : 0;
    }
    return static_cast<double>(bytes);
  };
  measure::Work work;
  work.flop = *record.plan.live_flop;
  work.bytes = static_cast<double>(record.plan.must_move_bytes.value_or(0));
  work.has_half = bytes_of({base::DType::kFloat16, base::DType::kBFloat16}) > 0;
  const measure::Peaks peaks = measure::measure_peaks();
  check_least_time(work, peaks, threads, record);
  // Statistics of norms are float64 in some samples whose arithmetic is float32.
  const double others =
      bytes_of({base::DType::kFloat16, base::DType::kBFloat16, base::DType::kFloat64});
  if (others > kFewOthers * bytes_of({base::DType::kFloat32})) return;
  record::Roofline& roofline = record.roofline;
  roofline.flop_per_s = peaks.flop_per_s * threads;
  roofline.bytes_per_s = read_rate(arguments, work.bytes, peaks, threads);
  const measure::Limit limit = measure::limit_of(work, *roofline.flop_per_s, *roofline.bytes_per_s);
  if (!(limit.time_ns > 0)) return;
  roofline.limit_ns = limit.time_ns;
  roofline.limited_by = limit.is_memory ? record::Roofline::kMemory : record::Roofline::kArithmetic;
}

/// Whether the plugin wrote to its outputs and to nothing else.
Status check_memory(SessionLog& log, PluginSide& plugin) {
  const plugin::CallStatus memory = plugin.check_memory();
  // What is not the plugin's doing has no kind of its own here.
  return memory.is_ok() ? Status::ok() : log.end_plugin(Outcome::kReferenceFailed, plugin, memory);
}

}  // namespace

Status time_pairs(SessionLog& log, const PairMeans& means) {
  const journal::Task& task = log.task();
  record::Record& record = log.record();
  const ComparedSample& compared = means.compared;
  log.begin_step("gn_backend_run");
  std::optional<measure::Warmup> launches;
  if (means.settings.replay) {
    GN_ASSIGN_OR_RETURN(launches, capture(log, means));
  }
  means.machine.bind(task.threads);  // what its first calls started, too
  means.device.note_conditions("before_timing");
  GN_ASSIGN_OR_RETURN(const PairedResult pairs, time_passes(log, means, launches));
  means.device.note_conditions("after_timing");
  log.judge_service(compared.plugin);
  GN_RETURN_IF_ERROR(watch_eager(log, means, pairs));
  if (!launches) record.timing.abi_ns = compared.plugin.abi_call_ns();
  GN_RETURN_IF_ERROR(check_memory(log, compared.plugin));
  check_roofline(compared.arguments, task.threads, means.device.is_cuda(), record);
  if (!means.device.is_cuda()) check_subnormals(task, compared.eager, record);
  static_cast<void>(log.note(check_tuned_to_weights(record), compared.plugin));
  log.send();
  return Status::ok();
}

// What method upstream leaves out by definition.
Status check_sequential(SessionLog& log, const ComparedSample& compared, TaskDevice& device) {
  log.begin_step("gn_backend_run");
  record::Record& record = log.record();
  record.notes.emplace_back(kNoteUnchecked);
  TimedChecks checks = timed_checks(compared, record);
  const Status checked = checks.check_untimed(kUntimedChecks);
  const TimedFindings findings = checks.finish(nullptr);
  GN_RETURN_IF_ERROR(note_checks(log, findings, compared.plugin));
  if (!checked.is_ok()) return log.end_calls(compared.plugin, checked);
  if (!findings.restored.is_ok()) return log.end_calls(compared.plugin, findings.restored);
  GN_RETURN_IF_ERROR(check_memory(log, compared.plugin));
  check_roofline(compared.arguments, log.task().threads, device.is_cuda(), record);
  return Status::ok();
}

void try_other_content(SessionLog& log, const ComparedSample& compared) {
  log.begin_step("gn_backend_run");
  record::Record& record = log.record();
  const double calls_ns =
      record.eager.median_ns.value_or(0) + record.plugin_side.median_ns.value_or(0);
  OtherInputs other = try_other_inputs(compared, calls_ns, kOtherInputsBudgetNs);
  for (record::OtherInput& tried : other.tried) {
    record.checks.other_inputs.push_back(std::move(tried));
  }
  if (!other.restored.is_ok()) record.notes.push_back("other inputs: " + other.restored.message());
  if (other.outcome == Outcome::kNone || !record.is_ok()) return;
  record.flags.emplace_back(Flag::kOtherSeed);
  record.outcome = other.outcome;
  record.message = other.message;
  record.speedup.reset();
}

}  // namespace graphnet::worker
