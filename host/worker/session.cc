// SPDX-License-Identifier: MIT
#include "worker/session.h"

#include <algorithm>
#include <random>
#include <utility>

#include "base/memory.h"
#include "base/text.h"
#include "eager/flush_denormals.h"
#include "journal/run_id.h"
#include "measure/clock.h"
#include "measure/environment.h"
#include "measure/roofline.h"
#include "measure/statistics.h"
#include "verify/compare.h"
#include "worker/admission.h"
#include "worker/correctness.h"
#include "worker/math_mode.h"
#include "worker/output_digest.h"
#include "worker/proof_phase.h"
#include "worker/record_writer.h"
#include "worker/timed_checks.h"

namespace graphnet::worker {

using record::Flag;
using record::Outcome;
using record::Phase;

namespace {

// Beyond what a small sample takes for all seven contents; large ones try as many as fit.
constexpr double kOtherInputsBudgetNs = 500e6;

void add_count(std::optional<std::int64_t>& count, int more) {
  count = count.value_or(0) + more;
}

}  // namespace

Session::Session(journal::Task task, Channel& channel)
    : task_(std::move(task)), channel_(channel), record_(start_record(task_)) {}

void Session::run() {
  const bool complete =
      load() && plan() && replay() && run_eager() && compile() && bind() && run_plugin();
  if (complete) {
    compare();
    const bool timed = !is_paired() || time_pairs();
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
  open_reference_cache();
  note_mappings("eager");
  write_engine();  // a record that a crash cuts short says at least which libtorch it was
  channel_.send_record(record_, /*is_final=*/false);
  return true;
}

// What draws random numbers is another thing in every run.
void Session::open_reference_cache() {
  const auto& notes = eager_->engine().notes();
  const bool is_random = std::find(notes.begin(), notes.end(), eager::kNoteRandom) != notes.end();
  if (task_.reference_cache.empty() || is_random) return;
  references_ =
      ReferenceCache(task_.reference_cache, reference_identity(sample_.content_sha256, task_));
}

void Session::note_references() {
  if (!references_.report().empty()) record_.checks.reference_cache = references_.report();
}

bool Session::compile() {
  enter(Phase::kCompile);
  plugin_ = std::make_unique<PluginSide>(task_, sample_.name, eager_->arguments(), eager_->kept(),
                                         eager_.get(),
                                         [this](const char* step) { channel_.begin_step(step); });
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
  GN_ASSIGN_OR_RETURN(settings_, measure::paired_settings(task_.protocol_settings));
  GN_ASSIGN_OR_RETURN(eager_warmup_,
                      measure::warm_up(eager_->calls(), settings_,
                                       measure::machine_instruments(settings_, task_.threads)));
  write_warmup(record_.eager, eager_warmup_);
  return base::Status::ok();
}

bool Session::run_plugin() {
  enter(Phase::kRun);
  plugin::CallStatus status;
  if (is_paired()) {
    status = plugin_->warm_up(settings_, task_.threads, plugin_warmup_);
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
  return true;
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
  const ComparedSample compared = {sample_, arguments_, *eager_, *plugin_, &references_};
  const verify::Comparison comparison = compare_sides(compared, record_.checks);
  // Method upstream makes no calls of its own besides those that it times.
  if (is_paired()) check_reproducibility(compared, record_.checks);
  note_references();
  record_.checks.subnormals = count_subnormals(compared);
  record_.outcome = comparison.outcome;
  record_.message = comparison.message;
  record_.degenerate = comparison.degenerate;
  record_.correctness = correctness_json(comparison);
  if (task_.digest) record_.digest["plugin_outputs"] = output_digests(plugin_->kept());
  channel_.send_record(record_, /*is_final=*/false);
}

bool Session::time_pairs() {
  enter(Phase::kTime);
  channel_.begin_step("gn_backend_run");
  if (settings_.replay && !capture()) return false;
  bool is_first = true;
  device_->note_conditions("before_timing");
  for (const measure::PairedSettings& settings : measure::passes(settings_)) {
    if (!time_pass(settings, is_first)) return false;
    is_first = false;
  }
  device_->note_conditions("after_timing");
  judge_service();
  const plugin::CallStatus memory = plugin_->check_memory();
  if (!memory.is_ok()) return end_plugin(Outcome::kRuntimeFailed, memory);
  // Both know the processor only.
  if (!device_->is_cuda()) check_roofline();
  if (!device_->is_cuda()) check_subnormals();
  channel_.send_record(record_, /*is_final=*/false);
  return true;
}

bool Session::capture() {
  double capture_ns = 0;
  plugin::CallStatus status = plugin_->capture(capture_ns);
  if (status.is_ok()) {
    record_.plugin_side.capture_ns = capture_ns;
    status = plugin_->warm_up_replays(settings_, task_.threads, replay_warmup_);
  }
  return status.is_ok() || end_plugin(Outcome::kRuntimeFailed, status);
}

bool Session::time_pass(const measure::PairedSettings& settings, bool is_first) {
  const std::vector<std::size_t> variable =
      variable_inputs(sample_, arguments_, eager_->engine().pinned_arguments());
  // Seeds are not the protocol's: nobody must know what a timed call will see.
  std::random_device random;
  InputShuffle shuffle(eager_->arguments(), variable, random());
  const ComparedSample compared = {sample_, arguments_, *eager_, *plugin_};
  TimedChecks checks(compared, std::move(shuffle), record_.outcome == Outcome::kOk, random());
  const auto instruments = device_->instruments(settings, task_.threads);
  if (!instruments.is_ok()) return end(Outcome::kReferenceFailed, instruments.status());
  const bool is_replay = plugin_->is_captured();
  const measure::Warmup& warmup = is_replay ? replay_warmup_ : plugin_warmup_;
  const auto result = measure::time_paired(checks.sides(), {eager_warmup_, warmup}, checks.hooks(),
                                           settings, *instruments);
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
  add_count(record_.checks.checked_calls, findings.checked_calls);
  add_count(record_.checks.shuffled_calls, findings.shuffled_calls);
  if (findings.ill_conditioned_calls > 0) {
    add_count(record_.checks.ill_conditioned_calls, findings.ill_conditioned_calls);
  }
  if (!findings.sensitive.empty()) {
    record_.checks.sensitive = findings.sensitive;
    if (is_first) record_.flags.emplace_back(Flag::kSensitive);
  }
  if (findings.flag != Flag::kNone) {
    record_.flags.emplace_back(findings.flag);
    record_.outcome = findings.outcome;
    record_.message = findings.message;
    record_.speedup.reset();
    judge_service();
    return false;
  }
  return result.is_ok() || end_timing(result.status());
}

bool Session::end_timing(const base::Status& status) {
  const plugin::CallStatus& failure = plugin_->failure();
  return failure.is_ok() ? end(Outcome::kReferenceFailed, status)
                         : end_plugin(Outcome::kRuntimeFailed, failure);
}

void Session::try_other_content() {
  enter(Phase::kRobustness);
  channel_.begin_step("gn_backend_run");
  const bool is_known = record_.checks.eager_reproducible.value_or(false);
  record_.checks.other_inputs =
      try_other_inputs({sample_, arguments_, *eager_, *plugin_, is_known ? &references_ : nullptr},
                       kOtherInputsBudgetNs);
  note_references();
}

// Arithmetic on subnormals can be a hundred times slower; a plugin that flushes them to zero would
// look that much faster.
void Session::check_subnormals() {
  if (task_.math.flush_denormals) return;  // both sides do
  const record::Subnormals& shares = record_.checks.subnormals;
  const double largest =
      std::max(shares.argument_share.value_or(0), shares.output_share.value_or(0));
  if (largest < kSubnormalShare) return;
  record_.flags.emplace_back(Flag::kDenormal);
  if (!eager::set_flush_denormals(true)) return;
  measure::SideCalls calls = eager_->calls();
  calls.after_first = nullptr;  // the kept outputs are those of the reference
  const auto flushed = measure::time_sequential(calls, {1, 5});
  eager::set_flush_denormals(false);
  if (!flushed.is_ok()) return;
  record_.checks.eager_flushed_ns = measure::summarise(flushed->trials_ns).median;
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
  ProofPhase phase(compared, mappings_, task_.proof, record_.flags, tracing ? &*tracing : nullptr);
  base::Json ledger = base::Json::object();
  record_.verdict = phase.trace(ledger);
  record_.proof = record::part_from_json<record::Proof>(ledger);
  channel_.send_record(record_, /*is_final=*/false);
  phase.sample(ledger);
  record_.proof = record::part_from_json<record::Proof>(std::move(ledger));
}

void Session::check_roofline() {
  if (!record_.plugin_side.median_ns || !record_.plan.live_flop) return;
  measure::Work work;
  work.flop = *record_.plan.live_flop;
  work.bytes = static_cast<double>(record_.plan.must_move_bytes.value_or(0));
  work.has_half = std::any_of(arguments_.begin(), arguments_.end(), [](const auto& argument) {
    return argument.dtype == base::DType::kFloat16 || argument.dtype == base::DType::kBFloat16;
  });
  const double least_ns = measure::least_time_ns(work, measure::measure_peaks(), task_.threads);
  record_.checks.least_time_ns = least_ns;
  if (*record_.plugin_side.median_ns >= least_ns) return;
  record_.flags.emplace_back(Flag::kImplausible);
  record_.notes.push_back("implausible: the plugin's median is shorter than the " +
                          base::format_duration(least_ns) +
                          " that this machine needs at least for the graph's arithmetic");
}

}  // namespace graphnet::worker
