// SPDX-License-Identifier: MIT
#include "worker/proof_phase.h"

#include <algorithm>
#include <utility>

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
// Outputs that stay the same: how often inputs change further, and by how much.
constexpr int kMaxStaleLooks = 6;
constexpr std::size_t kStrengthALook = 4096;
// The most that a trap takes; 4 to 6 us were measured.
constexpr double kTrapNs = 10e3;

// Calls of the plugin, by what happens meanwhile, and of eager.
constexpr const char* kWatchedCall = "watched call";
constexpr const char* kEagerCall = "eager call";
constexpr const char* kReplay = "replay";  // and the call that one is compared with
// What else the phase does.
constexpr const char* kPreparing = "preparing";
constexpr const char* kWitness = "starting the witness";
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
                       const std::string& mode, std::vector<record::Word<record::Flag>> flags,
                       DeviceTracing* device, measure::ProcessFamily* family)
    : compared_(compared),
      side_(compared.plugin.plugin_calls()),
      regions_(regions_now(history)),
      mode_(mode),
      device_(device),
      family_(family),
      shuffle_(fresh_inputs(compared.sample, compared.eager)) {
  evidence_.flags = std::move(flags);
  if (device_ != nullptr) device_->start();
  steps_.end(kPreparing);
  look_for_helpers();
}

record::Verdict ProofPhase::trace(Json& ledger) {
  const Status started = start_witness(ledger);
  if (!started.is_ok()) {
    witness_.reset();
    evidence_.unavailable = started.message();
    ledger["unavailable"] = started.message();
  }
  ledger["witness"] = witness_ ? "full" : "counts";
  const Status traced = trace_calls(ledger);
  if (!traced.is_ok() && evidence_.unavailable.empty()) evidence_.unavailable = traced.message();
  if (witness_) name_hits(ledger);
  if (traced.is_ok()) {
    const Status others = trace_others(ledger);
    if (!others.is_ok() && evidence_.unavailable.empty()) evidence_.unavailable = others.message();
  }
  finish_device(ledger);
  sample(ledger);
  look_for_helpers();
  if (!helpers_.empty()) ledger["helpers"] = helpers_;
  const Status restored = shuffle_.restore();
  if (!restored.is_ok() && evidence_.unavailable.empty()) {
    evidence_.unavailable = restored.message();
  }
  steps_.end(kPreparing);
  evidence_.plugin_runs = compared_.plugin.num_runs();
  evidence_.eager_runs = compared_.plugin.eager_runs();
  write_times(ledger);
  return proof::verdict_of(evidence_);
}

void ProofPhase::name_hits(Json& ledger) {
  const proof::Trace found = proof::name_hits(hits_, regions_);
  proof::write_trace(found, ledger);
  ledger["moments"]["hits"] = proof::moments_json(found.moments, steps_.start_ns());
  evidence_.entered = proof::operators_of(found.denied, /*entries=*/true);
  evidence_.inside = proof::operators_of(found.denied, /*entries=*/false);
  for (const proof::ModuleUse& use : found.modules) {
    if (use.kind == RegionKind::kExpect) evidence_.plugin_windows += use.windows;
  }
  steps_.end(kNaming);
}

// A watched call takes longer than another one, but not by more than its traps: what is beyond them
// is the machine's doing.
void ProofPhase::write_times(Json& ledger) const {
  const double watched_ns = steps_.total_ns(kWatchedCall);
  const double unwatched_ns = steps_.total_ns(kUnwatchedStep);
  const double sampled_ns = steps_.total_ns(kSampledStep) - beside_sampled_ns_;
  const double calls_ns = watched_ns + unwatched_ns + sampled_ns + steps_.total_ns(kEagerCall) +
                          steps_.total_ns(kReplay);
  const double traps_ns = std::clamp(watched_ns - unwatched_ns * num_calls_, 0.0,
                                     kTrapNs * static_cast<double>(hits_.size()));
  ledger["extra_ns"] = steps_.total_ns() - calls_ns + traps_ns;
  ledger["steps"] = steps_.json();
}

Status ProofPhase::start_witness(Json& ledger) {
  if (mode_ != "full") return Status(Code::kUnsupported, "execute-deny witness switched off");
  GN_ASSIGN_OR_RETURN(witness_, proof::ExecuteDeny::create(regions_));
  const std::vector<std::string>& tolerated = witness_->tolerated_threads();
  if (!tolerated.empty()) ledger["tolerated_threads"] = tolerated;
  steps_.end(kWitness);
  GN_ASSIGN_OR_RETURN(ledger["quiet_looks"], proof::wait_until_quiet(*witness_));
  steps_.end(kQuiet);
  return Status::ok();
}

Status ProofPhase::trace_calls(Json& ledger) {
  eager::DispatcherUse use;
  do {
    GN_RETURN_IF_ERROR(traced_call(use));
    ++num_calls_;
  } while (num_calls_ < kMostCalls && steps_.total_ns(kWatchedCall) < kTraceNs);
  ledger["calls"] = num_calls_;
  ledger["arm_ns"] = steps_.total_ns(kArming) / num_calls_;
  ledger["traced_call_ns"] = steps_.total_ns(kWatchedCall) / num_calls_;
  ledger["dispatcher"] = dispatcher_json(use);
  for (const auto& [name, times] : use.called) evidence_.dispatched.push_back(name);
  GN_RETURN_IF_ERROR(compare_outputs(ledger));
  ledger["call_ns"] = steps_.total_ns(kUnwatchedStep);
  return use.called.empty() ? Status::ok() : count_program(use);
}

// On the host nothing but the change itself lies between it and the call, and code is closed by
// then: a thread that waits for new inputs to compute ahead would be seen. What eager puts back are
// arguments that never change. On a device the change is work of its own, which comes first.
Status ProofPhase::renew_now() {
  if (!compared_.eager.place().is_host()) return Status::ok();
  Status changed = shuffle_.next();
  steps_.end(kPreparing);
  return changed;
}

Status ProofPhase::traced_call(eager::DispatcherUse& use) {
  if (!compared_.eager.place().is_host()) GN_RETURN_IF_ERROR(shuffle_.next());
  GN_RETURN_IF_ERROR(compared_.eager.prepare());
  GN_RETURN_IF_ERROR(compared_.plugin.prepare_outputs());
  steps_.end(kPreparing);
  eager::DispatcherCounts counts;
  steps_.end(kCounting);
  const Status called = witness_ ? watched_call() : call();
  use += counts.take();
  steps_.end(kCounting);
  return called;
}

Status ProofPhase::watched_call() {
  GN_RETURN_IF_ERROR(armed_call());
  if (witness_->reclaim_handler()) return Status::ok();
  // Ours is in front of the new one now; what it has missed must be seen again.
  GN_RETURN_IF_ERROR(armed_call());
  if (witness_->reclaim_handler()) return Status::ok();
  return Status(Code::kUnsupported, "each call puts a SIGSEGV handler over the witness's");
}

Status ProofPhase::armed_call() {
  // That the plugin's code runs shows in the first call; closing it takes longer than all the rest
  // where much of it was generated.
  std::vector<RegionKind> kinds = {RegionKind::kDeny, RegionKind::kWatch};
  if (num_calls_ == 0) kinds.push_back(RegionKind::kExpect);
  GN_RETURN_IF_ERROR(witness_->arm(kinds));
  steps_.end(kArming);
  const Status called = call();
  const Status disarmed = witness_->disarm();
  steps_.end(kArming);
  const std::vector<proof::Hit> hits = witness_->hits();
  hits_.insert(hits_.end(), hits.begin(), hits.end());
  GN_RETURN_IF_ERROR(called);
  return disarmed;
}

Status ProofPhase::call() {
  GN_RETURN_IF_ERROR(renew_now());
  Status called = traced_on_device(proof::CallSide::kPlugin, side_, kWatchedCall);
  if (called.is_ok()) return called;
  return Status(Code::kPlugin, "a traced call failed: " + called.message());
}

Status ProofPhase::traced_on_device(proof::CallSide side, const measure::SideCalls& calls,
                                    const char* step) {
  const double before_ns = steps_.total_ns(step);
  if (device_ != nullptr) {
    device_->begin_call(side);
    steps_.end(kPreparing);
  }
  Status called = calls.call();
  steps_.end(step);
  if (device_ != nullptr) {
    device_->end_call(steps_.total_ns(step) - before_ns, compared_.eager.place().last_span_ns());
  }
  return called;
}

// After the witness, which has no eyes for a device: as many calls as it watched, on the inputs of
// the last of them.
Status ProofPhase::trace_others(Json& ledger) {
  if (compared_.plugin.is_captured()) GN_RETURN_IF_ERROR(trace_replays(ledger));
  if (device_ == nullptr || !device_->records()) return Status::ok();
  const measure::SideCalls eager = compared_.eager.calls();
  for (int i = 0; i < num_calls_; ++i) {
    GN_RETURN_IF_ERROR(compared_.eager.prepare());
    steps_.end(kPreparing);
    GN_RETURN_IF_ERROR(traced_on_device(proof::CallSide::kEager, eager, kEagerCall));
  }
  return Status::ok();
}

// What was timed, against a call of the plugin on the same inputs, which nobody had seen when the
// graph was captured.
Status ProofPhase::trace_replays(Json& ledger) {
  const measure::SideCalls replay = compared_.plugin.calls();
  for (int i = 0; i < num_calls_; ++i) {
    GN_RETURN_IF_ERROR(shuffle_.next());
    GN_RETURN_IF_ERROR(compared_.eager.prepare());
    GN_RETURN_IF_ERROR(compared_.plugin.prepare_outputs());
    GN_RETURN_IF_ERROR(compared_.eager.place().wait());
    steps_.end(kPreparing);
    GN_RETURN_IF_ERROR(traced_on_device(proof::CallSide::kReplay, replay, kReplay));
  }
  std::vector<KeptOutput> replayed;
  std::vector<KeptOutput> called;
  GN_RETURN_IF_ERROR(compared_.plugin.copy_outputs(replayed));
  GN_RETURN_IF_ERROR(compared_.eager.prepare());
  GN_RETURN_IF_ERROR(compared_.plugin.prepare_outputs());
  steps_.end(kPreparing);
  GN_RETURN_IF_ERROR(side_.call());
  steps_.end(kReplay);
  GN_RETURN_IF_ERROR(compared_.plugin.copy_outputs(called));
  const auto comparison = verify::compare_outputs(views(called), views(replayed));
  ledger["replayed_outputs"] = bits_equal(replayed, called) ? "equal"
                               : comparison.outcome == record::Outcome::kOk
                                   ? "within tolerance"
                                   : name_of(comparison.outcome);
  if (comparison.outcome != record::Outcome::kOk && !bits_equal(replayed, called)) {
    evidence_.differs =
        std::string("replayed outputs differ from those of a call: ") + name_of(comparison.outcome);
  }
  evidence_.is_stale = evidence_.is_stale || compared_.plugin.is_unwritten(replayed);
  steps_.end(kComparing);
  return Status::ok();
}

void ProofPhase::finish_device(Json& ledger) {
  if (device_ == nullptr) return;
  evidence_.device = device_->finish(regions_, ledger["device"]);
  steps_.end(kNaming);
}

Status ProofPhase::compare_outputs(Json& ledger) {
  std::vector<KeptOutput> traced;
  std::vector<KeptOutput> untraced;
  GN_RETURN_IF_ERROR(compared_.plugin.copy_outputs(traced));
  steps_.end(kComparing);
  GN_RETURN_IF_ERROR(compared_.eager.prepare());
  GN_RETURN_IF_ERROR(compared_.plugin.prepare_outputs());
  steps_.end(kPreparing);
  GN_RETURN_IF_ERROR(side_.call());
  steps_.end(kUnwatchedStep);
  GN_RETURN_IF_ERROR(compared_.plugin.copy_outputs(untraced));
  evidence_.is_stale = compared_.plugin.is_unwritten(traced);
  const bool are_equal = bits_equal(traced, untraced);
  steps_.end(kComparing);
  if (are_equal) {
    ledger["outputs"] = "equal";
    return look_for_stale_outputs(traced);
  }
  const auto comparison = verify::compare_outputs(views(untraced), views(traced));
  steps_.end(kComparing);
  if (comparison.outcome == record::Outcome::kOk) {
    ledger["outputs"] = "within tolerance";
    return Status::ok();
  }
  const std::string outcome = name_of(comparison.outcome);
  evidence_.differs = "traced outputs differ from untraced ones: " + outcome;
  ledger["outputs"] = outcome + ": " + comparison.message;
  return Status::ok();
}

// The results of the first call, though inputs have changed since: eager says whether they should
// have changed. Where its own did in the last bits only, which another order of rounding may hide,
// inputs change further until the plugin's follow.
Status ProofPhase::look_for_stale_outputs(const std::vector<KeptOutput>& traced) {
  if (!shuffle_.has_effect()) return Status::ok();
  bool is_same = bits_equal(traced, compared_.plugin.kept());
  for (int look = 0; is_same; ++look) {
    std::vector<KeptOutput> eager;
    GN_RETURN_IF_ERROR(compared_.eager.prepare());
    steps_.end(kPreparing);
    GN_RETURN_IF_ERROR(compared_.eager.run());
    steps_.end(kEagerCall);
    GN_RETURN_IF_ERROR(compared_.eager.copy_outputs(eager));
    const bool has_changed = !bits_equal(eager, compared_.eager.kept());
    const auto change = verify::compare_outputs(views(compared_.eager.kept()), views(eager));
    steps_.end(kComparing);
    evidence_.is_stale = evidence_.is_stale || change.outcome != record::Outcome::kOk;
    if (!has_changed || evidence_.is_stale) break;
    if (look == kMaxStaleLooks) {
      evidence_.differs = "outputs stay as they are where eager's change by rounding only";
      break;
    }
    GN_ASSIGN_OR_RETURN(is_same, answers_the_same());
  }
  return Status::ok();
}

Result<bool> ProofPhase::answers_the_same() {
  GN_RETURN_IF_ERROR(shuffle_.next(kStrengthALook));
  std::vector<KeptOutput> outputs;
  GN_RETURN_IF_ERROR(compared_.eager.prepare());
  GN_RETURN_IF_ERROR(compared_.plugin.prepare_outputs());
  steps_.end(kPreparing);
  GN_RETURN_IF_ERROR(side_.call());
  steps_.end(kUnwatchedStep);
  GN_RETURN_IF_ERROR(compared_.plugin.copy_outputs(outputs));
  const bool is_same = bits_equal(outputs, compared_.plugin.kept());
  steps_.end(kComparing);
  return is_same;
}

Status ProofPhase::count_program(const eager::DispatcherUse& use) {
  GN_RETURN_IF_ERROR(compared_.eager.prepare());
  eager::DispatcherCounts counts;
  steps_.end(kCounting);
  GN_RETURN_IF_ERROR(compared_.eager.run());
  steps_.end(kEagerCall);
  eager::DispatcherUse program = counts.take();
  for (auto& [name, times] : program.called) times *= static_cast<std::uint64_t>(num_calls_);
  evidence_.covers_program = eager::covers(use, program);
  steps_.end(kCounting);
  return Status::ok();
}

}  // namespace graphnet::worker
