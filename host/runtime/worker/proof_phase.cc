// SPDX-License-Identifier: MIT
#include "worker/proof_phase.h"

#include <time.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "measure/clock.h"
#include "proof/findings.h"
#include "proof/ledger.h"
#include "proof/moments.h"
#include "proof/quiet_window.h"
#include "verify/compare.h"
#include "worker/fresh_inputs.h"

namespace graphnet::worker {

using base::Code;
using base::Json;
using base::Result;
using base::Status;
using proof::RegionKind;

namespace {

// Several calls find what is not done in each; long ones are traced once.
constexpr int kMostCalls = 3;
constexpr double kTraceNs = 100e6;
// Outputs that stay the same: how often inputs change further.
constexpr int kMaxStaleLooks = 6;
// The most that a trap takes; 4 to 6 us were measured.
constexpr double kTrapNs = 10e3;

// Names of steps, as timelines show them; records of older versions have other names.
constexpr const char* kTracedCall = "traced call";
constexpr const char* kEagerCall = "eager call";
constexpr const char* kReplay = "replay";  // and the call that one is compared with
constexpr const char* kPreparing = "preparing";
constexpr const char* kStarting = "starting the tracer";
constexpr const char* kQuiet = "waiting for quiet";
constexpr const char* kArming = "arming";
constexpr const char* kCounting = "counting operators";
constexpr const char* kComparing = "comparing outputs";
constexpr const char* kNaming = "naming hits";

std::vector<proof::Region> regions_now(const proof::MapHistory& history) {
  const auto mappings = base::read_memory_map();
  if (!mappings.is_ok()) return {};
  return history.regions(*mappings, base::loaded_objects());
}

Json dispatcher_json(const eager::DispatcherUse& use) {
  return {{"called", use.called}, {"nested", use.num_nested}, {"threads", use.num_threads}};
}

}  // namespace

ProofPhase::ProofPhase(const ComparedSample& compared, const proof::MapHistory& history,
                       const std::string& mode, TimedCalls timed, DeviceTracing* device,
                       measure::ProcessFamily* family)
    : compared_(compared),
      side_(compared.plugin.plugin_calls()),
      regions_(regions_now(history)),
      mode_(mode),
      device_(device),
      family_(family),
      timed_call_ns_(timed.median_ns),
      shuffle_(fresh_inputs(compared.sample, compared.eager)) {
  evidence_.flags = std::move(timed.flags);
  {
    const ScopedStep step(steps_, kPreparing);
    if (device_ != nullptr) device_->start();
  }
  look_for_helpers();
}

record::Verdict ProofPhase::trace(Json& ledger) {
  start_tracer(ledger);
  TracedCalls traced;
  const Status status = trace_plugin(traced, ledger);
  note_unavailable(status);
  if (tracer_) name_hits(traced.hits, ledger);
  if (status.is_ok()) note_unavailable(trace_others(traced.num_calls, ledger));
  finish_device(ledger);

  const SampledTrace sampled = sample(ledger);
  note_unavailable(look_for_slower_calls(sampled.shortest_call_ns, ledger));
  look_for_copies(traced.hits, sampled.samples, ledger);
  look_for_helpers();
  if (!helpers_.empty()) ledger["helpers"] = helpers_;

  {
    const ScopedStep step(steps_, kPreparing);
    note_unavailable(shuffle_.restore());
  }
  if (!problems_.empty()) ledger["problems"] = problems_;
  evidence_.plugin_runs = compared_.plugin.num_runs();
  evidence_.eager_runs = compared_.plugin.eager_runs();
  write_times(traced, sampled.beside_ns, ledger);
  return proof::verdict_of(evidence_);
}

// The first reason is the one that counts; the others are kept.
void ProofPhase::note_unavailable(const Status& status) {
  if (status.is_ok()) return;
  if (evidence_.unavailable.empty()) {
    evidence_.unavailable = status.message();
  } else {
    problems_.push_back(status.message());
  }
}

void ProofPhase::start_tracer(Json& ledger) {
  const Status created = create_tracer(ledger);
  if (!created.is_ok()) {
    tracer_.reset();
    note_unavailable(created);
    ledger["unavailable"] = created.message();
  }
  ledger["witness"] = tracer_ ? "full" : "counts";
}

Status ProofPhase::create_tracer(Json& ledger) {
  if (mode_ != "full") return Status(Code::kUnsupported, "execute-deny is switched off");
  {
    const ScopedStep step(steps_, kStarting);
    GN_ASSIGN_OR_RETURN(tracer_, proof::ExecuteDeny::create(regions_));
    const std::vector<std::string>& tolerated = tracer_->tolerated_threads();
    if (!tolerated.empty()) ledger["tolerated_threads"] = tolerated;
  }
  const ScopedStep step(steps_, kQuiet);
  GN_ASSIGN_OR_RETURN(ledger["quiet_looks"], proof::wait_until_quiet(*tracer_));
  return Status::ok();
}

void ProofPhase::name_hits(const std::vector<proof::Hit>& hits, Json& ledger) {
  const ScopedStep step(steps_, kNaming);
  const proof::Trace found = proof::name_hits(hits, regions_);
  proof::write_trace(found, ledger);
  ledger["moments"]["hits"] = proof::moments_json(found.moments, steps_.start_ns());
  evidence_.entered = proof::operators_of(found.denied, /*entries=*/true);
  evidence_.inside = proof::operators_of(found.denied, /*entries=*/false);
  for (const proof::ModuleUse& use : found.modules) {
    if (use.kind == RegionKind::kExpect) evidence_.plugin_windows += use.windows;
  }
}

// A traced call takes longer than an untraced one, but not by more than its traps: the rest is the
// machine's doing.
void ProofPhase::write_times(const TracedCalls& traced, double beside_sampled_ns,
                             Json& ledger) const {
  const double traced_ns = steps_.total_ns(kTracedCall);
  const double untraced_ns = steps_.total_ns(kUntracedCall);
  const double sampled_ns = steps_.total_ns(kSampledCall) - beside_sampled_ns;
  const double calls_ns =
      traced_ns + untraced_ns + sampled_ns + steps_.total_ns(kEagerCall) + steps_.total_ns(kReplay);
  const double traps_ns = std::clamp(traced_ns - untraced_ns * traced.num_calls, 0.0,
                                     kTrapNs * static_cast<double>(traced.hits.size()));
  ledger["extra_ns"] = steps_.total_ns() - calls_ns + traps_ns;
  ledger["steps"] = steps_.json();
}

Status ProofPhase::trace_plugin(TracedCalls& traced, Json& ledger) {
  GN_RETURN_IF_ERROR(trace_calls(traced, ledger));
  GN_RETURN_IF_ERROR(compare_outputs(ledger));
  ledger["call_ns"] = steps_.total_ns(kUntracedCall);
  return traced.operators.called.empty() ? Status::ok() : count_program(traced);
}

Status ProofPhase::trace_calls(TracedCalls& traced, Json& ledger) {
  do {
    GN_RETURN_IF_ERROR(counted_call(traced));
    ++traced.num_calls;
  } while (traced.num_calls < kMostCalls && steps_.total_ns(kTracedCall) < kTraceNs);
  ledger["calls"] = traced.num_calls;
  ledger["arm_ns"] = steps_.total_ns(kArming) / traced.num_calls;
  ledger["traced_call_ns"] = steps_.total_ns(kTracedCall) / traced.num_calls;
  ledger["dispatcher"] = dispatcher_json(traced.operators);
  for (const auto& [name, times] : traced.operators.called) evidence_.dispatched.push_back(name);
  return Status::ok();
}

// New inputs on a device are work of their own, which must end before the call; see plugin_call().
Status ProofPhase::counted_call(TracedCalls& traced) {
  if (!compared_.eager.device().is_host()) GN_RETURN_IF_ERROR(renew_inputs());
  GN_RETURN_IF_ERROR(prepare_call());
  std::optional<eager::DispatcherCounts> counts;
  {
    const ScopedStep step(steps_, kCounting);
    counts.emplace();
  }
  const Status called = tracer_ ? traced_call(traced) : plugin_call();
  const ScopedStep step(steps_, kCounting);
  traced.operators += counts->take();
  return called;
}

Status ProofPhase::traced_call(TracedCalls& traced) {
  GN_RETURN_IF_ERROR(armed_call(traced));
  if (tracer_->reclaim_handler()) return Status::ok();
  // The tracer's handler is in front of the new one now; the call that it missed is made again.
  GN_RETURN_IF_ERROR(armed_call(traced));
  if (tracer_->reclaim_handler()) return Status::ok();
  return Status(Code::kUnsupported, "each call replaces the tracer's SIGSEGV handler");
}

Status ProofPhase::armed_call(TracedCalls& traced) {
  GN_RETURN_IF_ERROR(arm(/*is_first_call=*/traced.num_calls == 0));
  const Status called = plugin_call();
  const Status disarmed = disarm();
  const std::vector<proof::Hit> hits = tracer_->hits();
  traced.hits.insert(traced.hits.end(), hits.begin(), hits.end());
  GN_RETURN_IF_ERROR(called);
  return disarmed;
}

// On the host nothing but the change of inputs lies between arming and the call: a thread that
// waits for new inputs to compute ahead would be seen. Eager's part of prepare_call() restores only
// arguments that never change.
Status ProofPhase::plugin_call() {
  if (compared_.eager.device().is_host()) GN_RETURN_IF_ERROR(renew_inputs());
  Status called = traced_on_device(proof::CallSide::kPlugin, side_, kTracedCall);
  if (called.is_ok()) return called;
  return Status(Code::kPlugin, "a traced call failed: " + called.message());
}

// Operators of the program itself, as often as it was traced.
Status ProofPhase::count_program(const TracedCalls& traced) {
  std::optional<eager::DispatcherCounts> counts;
  {
    const ScopedStep step(steps_, kCounting);
    GN_RETURN_IF_ERROR(compared_.eager.prepare());
    counts.emplace();
  }
  GN_RETURN_IF_ERROR(eager_call());
  const ScopedStep step(steps_, kCounting);
  eager::DispatcherUse program = counts->take();
  for (auto& [name, times] : program.called) times *= static_cast<std::uint64_t>(traced.num_calls);
  evidence_.covers_program = eager::covers(traced.operators, program);
  return Status::ok();
}

// After the execute-deny tracer, which cannot observe device work: as many calls as it traced, on
// the inputs of the last of them.
Status ProofPhase::trace_others(int num_calls, Json& ledger) {
  if (compared_.plugin.is_captured()) GN_RETURN_IF_ERROR(trace_replays(num_calls, ledger));
  if (device_ == nullptr || !device_->records()) return Status::ok();
  const measure::SideCalls eager = compared_.eager.calls();
  for (int i = 0; i < num_calls; ++i) {
    GN_RETURN_IF_ERROR(prepare_eager());
    GN_RETURN_IF_ERROR(traced_on_device(proof::CallSide::kEager, eager, kEagerCall));
  }
  return Status::ok();
}

// What was timed, against a call of the plugin on the same inputs, which no call had seen when the
// graph was captured.
Status ProofPhase::trace_replays(int num_calls, Json& ledger) {
  const measure::SideCalls replay = compared_.plugin.calls();
  for (int i = 0; i < num_calls; ++i) {
    GN_RETURN_IF_ERROR(renew_inputs());
    GN_RETURN_IF_ERROR(prepare_call());
    {
      const ScopedStep step(steps_, kPreparing);
      GN_RETURN_IF_ERROR(compared_.eager.device().wait());
    }
    GN_RETURN_IF_ERROR(traced_on_device(proof::CallSide::kReplay, replay, kReplay));
  }
  std::vector<KeptOutput> replayed;
  {
    const ScopedStep step(steps_, kPreparing);
    GN_RETURN_IF_ERROR(compared_.plugin.copy_outputs(replayed));
  }
  GN_RETURN_IF_ERROR(prepare_call());
  GN_RETURN_IF_ERROR(untraced_call(kReplay));
  GN_ASSIGN_OR_RETURN(const Agreement agreement, compare_with_last_call(replayed));
  ledger["replayed_outputs"] = agreement.word;
  if (!agreement.is_accepted) {
    evidence_.differs = "replayed outputs differ from those of a call: " + agreement.word;
  }
  return Status::ok();
}

Status ProofPhase::traced_on_device(proof::CallSide side, const measure::SideCalls& calls,
                                    const char* step) {
  const double before_ns = steps_.total_ns(step);
  if (device_ != nullptr) {
    const ScopedStep preparing(steps_, kPreparing);
    device_->begin_call(side);
  }
  Status called;
  {
    const ScopedStep calling(steps_, step);
    called = calls.call();
  }
  if (device_ == nullptr) return called;
  const Result<double> event_ns = compared_.eager.device().last_span_ns();
  device_->end_call(steps_.total_ns(step) - before_ns,
                    event_ns.is_ok() ? std::optional<double>(*event_ns) : std::nullopt);
  return called.is_ok() ? event_ns.status() : called;
}

void ProofPhase::finish_device(Json& ledger) {
  if (device_ == nullptr) return;
  const ScopedStep step(steps_, kNaming);
  evidence_.device = device_->finish(regions_, ledger["device"]);
}

Status ProofPhase::compare_outputs(Json& ledger) {
  std::vector<KeptOutput> traced;
  {
    const ScopedStep step(steps_, kComparing);
    GN_RETURN_IF_ERROR(compared_.plugin.copy_outputs(traced));
  }
  GN_RETURN_IF_ERROR(prepare_call());
  GN_RETURN_IF_ERROR(untraced_call(kUntracedCall));
  GN_ASSIGN_OR_RETURN(const Agreement agreement, compare_with_last_call(traced));
  ledger["outputs"] = agreement.word;
  if (agreement.is_equal) return look_for_stale_outputs(traced);
  if (agreement.is_accepted) return Status::ok();
  evidence_.differs = "traced outputs differ from untraced ones: " + agreement.word;
  ledger["outputs"] = agreement.word + ": " + agreement.message;
  return Status::ok();
}

// The outputs of a traced call or a replay against those of the plugin's last call, on the same
// inputs.
Result<ProofPhase::Agreement> ProofPhase::compare_with_last_call(
    const std::vector<KeptOutput>& traced) {
  const ScopedStep step(steps_, kComparing);
  std::vector<KeptOutput> untraced;
  GN_RETURN_IF_ERROR(compared_.plugin.copy_outputs(untraced));
  evidence_.is_stale = evidence_.is_stale || compared_.plugin.is_unwritten(traced);
  Agreement agreement;
  agreement.is_equal = bits_equal(traced, untraced);
  agreement.word = agreement.is_equal ? "equal" : "within tolerance";
  if (agreement.is_equal) return agreement;
  const auto comparison = verify::compare_outputs(views(untraced), views(traced));
  if (comparison.outcome == record::Outcome::kOk) return agreement;
  return Agreement{name_of(comparison.outcome), /*is_equal=*/false, /*is_accepted=*/false,
                   comparison.message};
}

// The plugin gave the results of its first call, though inputs have changed since: eager says
// whether they should have changed. Where its own did in the last bits only, which another order of
// rounding may hide, inputs change further until the plugin's follow.
Status ProofPhase::look_for_stale_outputs(const std::vector<KeptOutput>& traced) {
  if (!shuffle_.has_effect()) return Status::ok();
  bool is_same = bits_equal(traced, compared_.plugin.kept());
  for (int look = 0; is_same; ++look) {
    GN_ASSIGN_OR_RETURN(const EagerChange eager, change_of_eager());
    evidence_.is_stale = evidence_.is_stale || eager.exceeds_tolerance;
    if (!eager.changes_bits || evidence_.is_stale) break;
    if (look == kMaxStaleLooks) {
      evidence_.differs = "outputs stay as they are where eager's change by rounding only";
      break;
    }
    GN_ASSIGN_OR_RETURN(is_same, answers_the_same());
  }
  return Status::ok();
}

Result<ProofPhase::EagerChange> ProofPhase::change_of_eager() {
  GN_RETURN_IF_ERROR(prepare_eager());
  GN_RETURN_IF_ERROR(eager_call());
  const ScopedStep step(steps_, kComparing);
  std::vector<KeptOutput> outputs;
  GN_RETURN_IF_ERROR(compared_.eager.copy_outputs(outputs));
  const std::vector<KeptOutput>& first = compared_.eager.kept();
  EagerChange change;
  change.changes_bits = !bits_equal(outputs, first);
  change.exceeds_tolerance =
      verify::compare_outputs(views(first), views(outputs)).outcome != record::Outcome::kOk;
  return change;
}

// Whether the plugin gives the results of its first call on inputs that have changed further.
Result<bool> ProofPhase::answers_the_same() {
  GN_RETURN_IF_ERROR(renew_inputs());
  GN_RETURN_IF_ERROR(prepare_call());
  GN_RETURN_IF_ERROR(untraced_call(kUntracedCall));
  const ScopedStep step(steps_, kComparing);
  std::vector<KeptOutput> outputs;
  GN_RETURN_IF_ERROR(compared_.plugin.copy_outputs(outputs));
  return bits_equal(outputs, compared_.plugin.kept());
}

// Whether the plugin's code runs shows in the first call. Closing it takes longer than all the rest
// where much of it was generated.
Status ProofPhase::arm(bool is_first_call) {
  const ScopedStep step(steps_, kArming);
  std::vector<RegionKind> kinds = {RegionKind::kDeny, RegionKind::kWatch};
  if (is_first_call) kinds.push_back(RegionKind::kExpect);
  return tracer_->arm(kinds);
}

Status ProofPhase::disarm() {
  const ScopedStep step(steps_, kArming);
  return tracer_->disarm();
}

Status ProofPhase::renew_inputs() {
  const ScopedStep step(steps_, kPreparing);
  return shuffle_.next();
}

Status ProofPhase::prepare_eager() {
  const ScopedStep step(steps_, kPreparing);
  return compared_.eager.prepare();
}

// Before a call of the plugin: eager restores what a call changes, outputs become worthless.
Status ProofPhase::prepare_call() {
  const ScopedStep step(steps_, kPreparing);
  GN_RETURN_IF_ERROR(compared_.eager.prepare());
  return compared_.plugin.prepare_outputs();
}

Status ProofPhase::untraced_call(const char* step) {
  GN_ASSIGN_OR_RETURN(const std::int64_t length_ns, length_of_call(step));
  call_length_ns_ = std::max(call_length_ns_, length_ns);
  return Status::ok();
}

// A caller that works may be interrupted for long, on a busy machine: its own time counts. One that
// waits for other threads, or for a device, is looked at by the wall clock.
Result<std::int64_t> ProofPhase::length_of_call(const char* step) {
  const auto ran_ns = [](clockid_t clock) { return measure::clock_ns_by_syscall(clock); };
  const std::int64_t all_before_ns = ran_ns(CLOCK_PROCESS_CPUTIME_ID);
  const std::int64_t own_before_ns = ran_ns(CLOCK_THREAD_CPUTIME_ID);
  const double total_before_ns = steps_.total_ns(step);
  {
    const ScopedStep calling(steps_, step);
    GN_RETURN_IF_ERROR(side_.call());
  }
  const std::int64_t own_ns = ran_ns(CLOCK_THREAD_CPUTIME_ID) - own_before_ns;
  const std::int64_t all_ns = ran_ns(CLOCK_PROCESS_CPUTIME_ID) - all_before_ns;
  const bool works = 2 * own_ns >= all_ns;
  const auto wall_ns = static_cast<std::int64_t>(steps_.total_ns(step) - total_before_ns);
  return works ? own_ns : wall_ns;
}

Status ProofPhase::eager_call() {
  const ScopedStep step(steps_, kEagerCall);
  return compared_.eager.run();
}

}  // namespace graphnet::worker
