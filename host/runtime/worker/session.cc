// SPDX-License-Identifier: MIT
#include "worker/session.h"

#include <algorithm>
#include <random>
#include <utility>

#include "base/memory.h"
#include "journal/run_id.h"
#include "measure/clock.h"
#include "measure/environment.h"
#include "verify/compare.h"
#include "worker/admission.h"
#include "worker/correctness.h"
#include "worker/fresh_inputs.h"
#include "worker/math_mode.h"
#include "worker/output_digest.h"
#include "worker/proof_phase.h"
#include "worker/record_writer.h"
#include "worker/second_timing.h"
#include "worker/timed_checks.h"

namespace graphnet::worker {

using record::Flag;
using record::Outcome;
using record::Phase;

namespace {

// Beyond what a small sample takes for all seven contents; large ones try as many as fit.
constexpr double kOtherInputsBudgetNs = 500e6;

// Contents that method upstream compares after its timed calls.
constexpr int kUntimedChecks = 5;

}  // namespace

Session::Session(journal::Task task, Channel& channel)
    : task_(std::move(task)),
      channel_(channel),
      record_(start_record(task_)),
      family_(own_mark()) {}

void Session::run() {
  const bool complete =
      load() && plan() && replay() && run_eager() && compile() && bind() && run_plugin();
  if (complete) {
    compare();
    const bool timed = is_paired() ? follows_inputs() && time_pairs() : check_sequential();
    if (timed && is_paired()) try_other_content();
    write_environment();
    if (timed) prove();
  } else {
    write_environment();
  }
  enter(Phase::kNone);
  note_peak_memory(nullptr);
  record_.time_utc = journal::utc_now();
  channel_.send_record(record_, /*is_final=*/true);
}

// Before the proof, after which libtorch may have lost the right to execute for good.
void Session::write_environment() {
  cores_.release();
  base::Json environment = measure::collect_environment(task_.threads);
  if (device_) device_->describe(environment);
  record_.environment = record::part_from_json<record::Environment>(std::move(environment));
  write_engine();
}

void Session::write_engine() {
  const eager::EngineVersion version = eager::engine_version();
  record_.environment.libtorch = version.torch_version;
  record_.environment.cpu_capability = version.cpu_capability;
  record_.environment.libtorch_threads = version.threads;
}

void Session::note_mappings(const char* epoch) {
  if (task_.proof != "full") return;
  const auto mappings = base::read_memory_map();
  if (mappings.is_ok()) mappings_.note(epoch, *mappings);
}

// The whole run's peak is the largest of the parts between two resets.
void Session::note_peak_memory(record::Record::Side* side) {
  const auto peak = measure::peak_rss_bytes();
  if (!peak) return;
  if (side != nullptr) side->peak_rss_bytes = peak;
  record_.peak_rss_bytes = std::max(record_.peak_rss_bytes.value_or(0), *peak);
  measure::reset_peak_rss();
}

// The wait belongs to no phase.
void Session::ask_for(Phase phase, std::optional<std::int64_t> num_bytes) {
  if (!task_.asks) return;
  const std::int64_t begin_ns = measure::monotonic_raw_ns();
  channel_.ask(phase, num_bytes);
  phase_start_ns_ += measure::monotonic_raw_ns() - begin_ns;
}

void Session::enter(Phase phase) {
  if (record::facts_of(phase).takes_times) ask_for(phase);
  const std::int64_t now = measure::monotonic_raw_ns();
  if (phase_start_ns_ != 0) record_.phases_ns[record_.phase.text()] = now - phase_start_ns_;
  phase_start_ns_ = now;
  if (phase == Phase::kNone) return;
  record_.phase = phase;
  channel_.begin_phase(phase);
}

bool Session::end(Outcome outcome, const base::Status& status) {
  record_.outcome = outcome;
  record_.message = one_line(status);
  for (const std::string& hint : status.hints()) record_.notes.push_back(hint);
  return false;
}

bool Session::end_plugin(Outcome outcome, const plugin::CallStatus& status) {
  if (plugin_->flag() != Flag::kNone) record_.flags.emplace_back(plugin_->flag());
  if (status.kind == plugin::FailureKind::kUnsupported) {
    return end(Outcome::kUnsupported, status.status);
  }
  if (status.kind == plugin::FailureKind::kOutOfMemory) {
    return end(Outcome::kOutOfMemory, status.status);
  }
  if (status.kind == plugin::FailureKind::kBroken) {
    return end(Outcome::kPluginFailed, status.status);
  }
  return end(outcome, status.status);
}

bool Session::open_device() {
  auto opened = TaskDevice::open(task_);
  if (!opened.is_ok()) return end(Outcome::kReferenceFailed, opened.status());
  device_ = std::move(opened).value();
  return true;
}

bool Session::load() {
  enter(Phase::kLoad);
  if (!open_device()) return false;
  note_mappings("start");
  auto loaded = sample::load_sample(task_.sample_path);
  if (!loaded.is_ok()) return end(Outcome::kInvalidSample, loaded.status());
  sample_ = std::move(loaded).value();
  record_.sample = sample_.name;
  record_.family = sample_.family;
  record_.model_name = sample_.model_name;
  record_.sample_sha256 = sample_.content_sha256;
  channel_.send_record(record_, /*is_final=*/false);
  return true;
}

bool Session::plan() {
  enter(Phase::kPlan);
  const base::Status known = eager::Engine::check(sample_.program);
  if (!known.is_ok()) return end(Outcome::kReferenceFailed, known);
  const auto planned = plan_sample(sample_);
  if (!planned.is_ok()) return end(Outcome::kInvalidSample, planned.status());
  write_plan(record_, *planned);
  // What is free is another matter when others have ended.
  ask_for(Phase::kReplay, needed_memory_bytes(*planned));
  Allowance allowance = {base::available_memory_bytes(), task_.flop_limit.value_or(0)};
  if (task_.memory_limit_bytes) {
    allowance.memory_bytes = std::min(allowance.memory_bytes, *task_.memory_limit_bytes);
  }
  if (device_->is_cuda()) {
    const auto on_device = static_cast<std::int64_t>(device_->gpu()->facts().memory_bytes);
    allowance.memory_bytes = std::min(allowance.memory_bytes, on_device);
  }
  record_.message = refusal(*planned, allowance);
  if (!record_.message.empty()) record_.outcome = Outcome::kSkipped;
  return record_.message.empty();
}

bool Session::replay() {
  enter(Phase::kReplay);
  auto replayed = sample::replay(sample_.metas, sample_.program.parameters, sample::kReplaySeed);
  if (!replayed.is_ok()) {
    const bool memory = replayed.status().code() == base::Code::kEnvironment;
    return end(memory ? Outcome::kReferenceFailed : Outcome::kInvalidSample, replayed.status());
  }
  arguments_ = std::move(replayed).value();
  return true;
}

bool Session::run_eager() {
  enter(Phase::kEager);
  if (!prepare_machine()) return false;
  auto created = EagerSide::create(sample_, arguments_, device_->place());
  if (!created.is_ok()) return end(Outcome::kReferenceFailed, created.status());
  eager_ = std::move(created).value();
  const base::Status entered = enter_math_mode(task_.math);
  if (!entered.is_ok()) return end(Outcome::kReferenceFailed, entered);
  if (task_.digest) {
    std::size_t num_bytes = 0;
    for (const sample::Argument& argument : arguments_) num_bytes += argument.bytes.num_bytes();
    record_.digest["arguments"] = {{"count", arguments_.size()},
                                   {"bytes", num_bytes},
                                   {"sha256", sample::arguments_digest(arguments_)}};
  }
  const base::Status timed = time_reference();
  if (!timed.is_ok()) return end(Outcome::kReferenceFailed, timed);
  write_output_types(record_.eager, eager_->kept());
  note_peak_memory(&record_.eager);
  if (task_.digest) record_.digest["eager_outputs"] = output_digests(eager_->kept());
  for (const std::string& note : eager_->engine().notes()) record_.notes.push_back(note);
  note_mappings("eager");
  write_engine();  // a record that a crash cuts short says at least which libtorch it was
  channel_.send_record(record_, /*is_final=*/false);
  return true;
}

bool Session::compile() {
  enter(Phase::kCompile);
  plugin_ = std::make_unique<PluginSide>(task_, sample_.name, eager_->arguments(), eager_->kept(),
                                         eager_.get(),
                                         [this](const char* step) { channel_.begin_step(step); });
  bind_cores(task_.compile_threads);
  engine_settings_.note();
  plugin::CallStatus status = plugin_->open();
  if (!status.is_ok()) return end_plugin(Outcome::kPluginFailed, status);
  note_mappings("load");
  plugin_->offer_body(eager_->engine().normal_form(plugin_->weights()));
  double compile_ns = 0;
  status = plugin_->compile(compile_ns);
  record_.plugin_side.compile_ns = compile_ns;
  return status.is_ok() || end_plugin(Outcome::kCompileFailed, status);
}

bool Session::bind() {
  enter(Phase::kBind);
  double bind_ns = 0;
  const plugin::CallStatus status = plugin_->bind(bind_ns);
  record_.plugin_side.bind_ns = bind_ns;
  if (!status.is_ok()) return end_plugin(Outcome::kCompileFailed, status);
  const plugin::CallStatus described = plugin_->describe(record_.plugin_info);
  note_mappings("compile");
  if (described.kind == plugin::FailureKind::kBroken) {
    return end_plugin(Outcome::kPluginFailed, described);
  }
  // What it says of itself decides nothing.
  if (!described.is_ok()) record_.notes.push_back("info: " + one_line(described.status));
  return true;
}

base::Status Session::time_reference() {
  if (!is_paired()) {
    GN_ASSIGN_OR_RETURN(const auto durations, eager_->measure({task_.warmup, task_.trials}));
    write_side(record_.eager, durations);
    return base::Status::ok();
  }
  WarmupInputs inputs(sample_, *eager_);
  measure::SideCalls calls = eager_->calls();
  calls.renew = inputs.renew();
  GN_ASSIGN_OR_RETURN(
      eager_warmup_,
      measure::warm_up(calls, settings_, measure::machine_instruments(settings_, task_.threads)));
  write_warmup(record_.eager, eager_warmup_);
  GN_ASSIGN_OR_RETURN(host_steps_, measure_host_steps(eager_warmup_, *eager_));
  return inputs.restore();
}

bool Session::run_plugin() {
  enter(Phase::kRun);
  bind_cores(task_.threads);
  plugin::CallStatus status;
  if (is_paired()) {
    WarmupInputs inputs(sample_, *eager_);
    status = plugin_->warm_up(settings_, task_.threads, plugin_warmup_, inputs.renew());
    const base::Status restored = inputs.restore();
    if (!restored.is_ok()) return end(Outcome::kReferenceFailed, restored);
    write_warmup(record_.plugin_side, plugin_warmup_);
  } else {
    measure::SideDurations durations;
    status = plugin_->measure({task_.warmup, task_.trials}, durations);
    if (status.is_ok()) {
      write_side(record_.plugin_side, durations);
      record_.speedup = *record_.eager.median_ns / std::max(1.0, *record_.plugin_side.median_ns);
    }
  }
  if (!status.is_ok()) return end_plugin(Outcome::kRuntimeFailed, status);
  write_output_types(record_.plugin_side, plugin_->kept());
  note_peak_memory(&record_.plugin_side);
  judge_service();
  cores_.release();
  return note(engine_settings_.findings());
}

// What is known without the proof phase.
void Session::judge_service() {
  proof::Evidence evidence;
  evidence.plugin_runs = plugin_->num_runs();
  evidence.eager_runs = plugin_->eager_runs();
  evidence.flags = record_.flags;
  evidence.unavailable = "not traced";
  record_.verdict = proof::verdict_of(evidence);
}

void Session::compare() {
  enter(Phase::kCompare);
  const ComparedSample compared = {sample_, arguments_, *eager_, *plugin_};
  const verify::Comparison comparison = compare_sides(compared, record_.checks);
  if (is_paired()) check_reproducibility(compared, record_.checks);
  record_.checks.subnormals = count_subnormals(compared);
  record_.outcome = comparison.outcome;
  record_.message = comparison.message;
  record_.degenerate = comparison.degenerate;
  record_.checks.evidence_share = comparison.evidence_share;
  record_.correctness = correctness_json(comparison);
  if (task_.digest) record_.digest["plugin_outputs"] = output_digests(plugin_->kept());
  channel_.send_record(record_, /*is_final=*/false);
}

bool Session::time_pairs() {
  enter(Phase::kTime);
  channel_.begin_step("gn_backend_run");
  if (settings_.replay && !capture()) return false;
  bool is_first = true;
  bind_cores(task_.threads);  // what its first calls started, too
  device_->note_conditions("before_timing");
  for (const measure::PairedSettings& settings : measure::passes(settings_)) {
    if (!time_pass(settings, is_first)) return false;
    is_first = false;
  }
  device_->note_conditions("after_timing");
  // What a plugin says of itself may now include where the time of its calls went.
  if (device_->is_cuda()) static_cast<void>(plugin_->describe(record_.plugin_info));
  judge_service();
  if (!watch_eager()) return false;
  if (!plugin_->is_captured()) record_.timing.abi_ns = plugin_->abi_call_ns();
  const plugin::CallStatus memory = plugin_->check_memory();
  if (!memory.is_ok()) return end_plugin(Outcome::kRuntimeFailed, memory);
  // Both know the processor only.
  if (!device_->is_cuda()) check_roofline();
  if (!device_->is_cuda()) check_subnormals();
  static_cast<void>(note(check_tuned_to_weights(record_)));
  channel_.send_record(record_, /*is_final=*/false);
  return true;
}

bool Session::capture() {
  double capture_ns = 0;
  plugin::CallStatus status = plugin_->capture(capture_ns);
  if (status.is_ok()) {
    record_.plugin_side.capture_ns = capture_ns;
    WarmupInputs inputs(sample_, *eager_);
    status = plugin_->warm_up_replays(settings_, task_.threads, replay_warmup_, inputs.renew());
    const base::Status restored = inputs.restore();
    if (!restored.is_ok()) return end(Outcome::kReferenceFailed, restored);
  }
  return status.is_ok() || end_plugin(Outcome::kRuntimeFailed, status);
}

bool Session::time_pass(const measure::PairedSettings& settings, bool is_first) {
  const ComparedSample compared = {sample_, arguments_, *eager_, *plugin_};
  TimedChecks checks(compared, fresh_inputs(sample_, *eager_), record_.is_ok(),
                     std::random_device()());
  auto instruments = device_->instruments(settings, task_.threads);
  if (!instruments.is_ok()) return end(Outcome::kReferenceFailed, instruments.status());
  TimingWatch watch(family_, family_clock_ ? &*family_clock_ : nullptr, task_.threads);
  watch.attach(*instruments);
  const bool is_replay = plugin_->is_captured();
  const measure::Warmup& warmup = is_replay ? replay_warmup_ : plugin_warmup_;
  const auto result = measure::time_paired(checks.sides(), {eager_warmup_, warmup},
                                           watch.around(checks.hooks()), settings, *instruments);
  if (result.is_ok()) {
    (is_first ? write_timing : write_cold_timing)(record_, *result);
    if (is_first && is_replay) {
      write_replay(record_.timing, plugin_->num_graph_nodes(), replay_warmup_, plugin_warmup_);
    }
  }
  const TimedFindings findings = checks.finish(result.is_ok() ? &*result : nullptr);
  if (result.is_ok()) {
    if (is_first) {
      write_spans(record_.timing, findings.span_ns);
    } else {
      write_spans(record_.timing.cold, findings.span_ns);
    }
  }
  write_findings(record_, findings);
  if (findings.flag != Flag::kNone) {
    judge_service();
    return false;
  }
  if (!result.is_ok()) return end_timing(result.status());
  if (is_first) {
    compare_eager(*result);
    note(check_untimed_work(host_steps_, *result, findings.copies_ns, record_.checks.host_steps));
  }
  return note(watch.findings(*result)) && note(engine_settings_.findings());
}

// What method upstream leaves out by definition.
bool Session::check_sequential() {
  enter(Phase::kTime);
  channel_.begin_step("gn_backend_run");
  record_.notes.emplace_back(kNoteUnchecked);
  const ComparedSample compared = {sample_, arguments_, *eager_, *plugin_};
  TimedChecks checks(compared, fresh_inputs(sample_, *eager_), record_.is_ok(),
                     std::random_device()());
  const base::Status checked = checks.check_untimed(kUntimedChecks);
  const TimedFindings findings = checks.finish(nullptr);
  write_findings(record_, findings);
  if (findings.flag != Flag::kNone) {
    judge_service();
    return false;
  }
  if (!checked.is_ok()) return end_timing(checked);
  const plugin::CallStatus memory = plugin_->check_memory();
  if (!memory.is_ok()) return end_plugin(Outcome::kRuntimeFailed, memory);
  if (!device_->is_cuda()) check_roofline();
  return true;
}

bool Session::end_timing(const base::Status& status) {
  const plugin::CallStatus& failure = plugin_->failure();
  return failure.is_ok() ? end(Outcome::kReferenceFailed, status)
                         : end_plugin(Outcome::kRuntimeFailed, failure);
}

void Session::try_other_content() {
  enter(Phase::kRobustness);
  channel_.begin_step("gn_backend_run");
  OtherInputs other =
      try_other_inputs({sample_, arguments_, *eager_, *plugin_}, kOtherInputsBudgetNs);
  record_.checks.other_inputs = std::move(other.tried);
  if (other.outcome == Outcome::kNone || !record_.is_ok()) return;
  record_.flags.emplace_back(Flag::kOtherSeed);
  record_.outcome = other.outcome;
  record_.message = other.message;
  record_.speedup.reset();
}

void Session::prove() {
  if (task_.proof == "none") return;
  enter(Phase::kProof);
  channel_.send_record(record_, /*is_final=*/false);
  channel_.begin_step("gn_backend_run");
  const ComparedSample compared = {sample_, arguments_, *eager_, *plugin_};
  std::optional<DeviceTracing> tracing;
  if (device_->is_cuda()) {
    tracing.emplace(*device_->gpu(), device_->tracing(), device_->tracing_state());
  }
  ProofPhase phase(compared, mappings_, task_.proof, record_.flags, tracing ? &*tracing : nullptr,
                   &family_);
  base::Json ledger = base::Json::object();
  record_.verdict = phase.trace(ledger);
  record_.proof = record::part_from_json<record::Proof>(std::move(ledger));
  note_helpers(phase.helpers());
}

}  // namespace graphnet::worker
