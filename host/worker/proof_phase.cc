// SPDX-License-Identifier: MIT
#include "worker/proof_phase.h"

#include <algorithm>
#include <random>
#include <utility>

#include "measure/clock.h"
#include "proof/findings.h"
#include "proof/imports.h"
#include "proof/ledger.h"
#include "proof/quiet_window.h"
#include "proof/thread_sampler.h"
#include "verify/compare.h"

namespace graphnet::worker {

using base::Code;
using base::Json;
using base::Status;
using proof::RegionKind;

namespace {

// Several calls find what is not done in each; long ones are traced once.
constexpr int kMostCalls = 3;
constexpr double kTraceNs = 100e6;
constexpr double kSampleNs = 20e6;

double since(std::int64_t start_ns) {
  return static_cast<double>(measure::monotonic_raw_ns() - start_ns);
}

std::vector<proof::Region> regions_now(const proof::MapHistory& history) {
  const auto mappings = proof::read_memory_map();
  return mappings.is_ok() ? history.regions(*mappings) : std::vector<proof::Region>();
}

Json dispatcher_json(const eager::DispatcherUse& use) {
  return {{"called", use.called}, {"nested", use.num_nested}, {"threads", use.num_threads}};
}

}  // namespace

ProofPhase::ProofPhase(const ComparedSample& compared, const proof::MapHistory& history,
                       const std::string& mode, std::vector<std::string> flags)
    : compared_(compared),
      side_(compared.plugin.calls()),
      regions_(regions_now(history)),
      mode_(mode),
      shuffle_(compared.arguments,
               variable_inputs(compared.sample, compared.arguments,
                               compared.eager.engine().pinned_arguments()),
               std::random_device()()) {
  evidence_.flags = std::move(flags);
}

std::string ProofPhase::trace(Json& ledger) {
  const std::int64_t start = measure::monotonic_raw_ns();
  const Status started = start_witness(ledger);
  if (!started.is_ok()) {
    witness_.reset();
    evidence_.unavailable = started.message();
    ledger["unavailable"] = started.message();
  }
  ledger["witness"] = witness_ ? "full" : "counts";
  const Status traced = trace_calls(ledger);
  if (!traced.is_ok() && evidence_.unavailable.empty()) evidence_.unavailable = traced.message();
  if (witness_) {
    const proof::Trace found = proof::name_hits(hits_, regions_);
    proof::write_trace(found, ledger);
    evidence_.entered = proof::operators_of(found.denied, /*entries=*/true);
    evidence_.inside = proof::operators_of(found.denied, /*entries=*/false);
    for (const proof::ModuleUse& use : found.modules) {
      if (use.kind == RegionKind::kExpect) evidence_.plugin_windows += use.windows;
    }
  }
  ledger["imports"] = proof::imports_json(proof::audit_imports(regions_));
  shuffle_.restore();
  evidence_.plugin_runs = compared_.plugin.num_runs();
  evidence_.eager_runs = compared_.plugin.eager_runs();
  const double calls_ns = call_ns_ * (num_calls_ + 1) + eager_ns_;
  ledger["extra_ns"] = std::max(0.0, since(start) - calls_ns);
  return proof::verdict_of(evidence_);
}

Status ProofPhase::start_witness(Json& ledger) {
  if (mode_ != "full") return Status(Code::kUnsupported, "execute-deny witness switched off");
  GN_ASSIGN_OR_RETURN(witness_, proof::ExecuteDeny::create(regions_));
  GN_ASSIGN_OR_RETURN(ledger["quiet_looks"], proof::wait_until_quiet(*witness_));
  return Status::ok();
}

Status ProofPhase::trace_calls(Json& ledger) {
  eager::DispatcherUse use;
  do {
    GN_RETURN_IF_ERROR(traced_call(use));
    ++num_calls_;
  } while (num_calls_ < kMostCalls && traced_ns_ < kTraceNs);
  ledger["calls"] = num_calls_;
  ledger["arm_ns"] = arm_ns_ / num_calls_;
  ledger["traced_call_ns"] = traced_ns_ / num_calls_;
  ledger["dispatcher"] = dispatcher_json(use);
  for (const auto& [name, times] : use.called) evidence_.dispatched.push_back(name);
  GN_RETURN_IF_ERROR(compare_outputs(ledger));
  ledger["call_ns"] = call_ns_;
  return use.called.empty() ? Status::ok() : count_program(use);
}

Status ProofPhase::traced_call(eager::DispatcherUse& use) {
  shuffle_.draw();
  shuffle_.apply();
  GN_RETURN_IF_ERROR(compared_.eager.prepare());
  compared_.plugin.prepare_outputs(/*poisoned=*/true);
  eager::DispatcherCounts counts;
  const Status called = witness_ ? watched_call() : call();
  use += counts.take();
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
  const std::int64_t start = measure::monotonic_raw_ns();
  GN_RETURN_IF_ERROR(witness_->arm({RegionKind::kDeny, RegionKind::kWatch, RegionKind::kExpect}));
  arm_ns_ += since(start);
  const Status called = call();
  const std::int64_t called_ns = measure::monotonic_raw_ns();
  const Status disarmed = witness_->disarm();
  arm_ns_ += since(called_ns);
  const std::vector<proof::Hit> hits = witness_->hits();
  hits_.insert(hits_.end(), hits.begin(), hits.end());
  GN_RETURN_IF_ERROR(called);
  return disarmed;
}

Status ProofPhase::call() {
  const std::int64_t start = measure::monotonic_raw_ns();
  Status called = side_.call();
  traced_ns_ += since(start);
  if (called.is_ok()) return called;
  return Status(Code::kPlugin, "a traced call failed: " + called.message());
}

Status ProofPhase::compare_outputs(Json& ledger) {
  std::vector<KeptOutput> traced;
  std::vector<KeptOutput> untraced;
  GN_RETURN_IF_ERROR(compared_.plugin.copy_outputs(traced));
  GN_RETURN_IF_ERROR(compared_.eager.prepare());
  compared_.plugin.prepare_outputs(/*poisoned=*/true);
  const std::int64_t start = measure::monotonic_raw_ns();
  GN_RETURN_IF_ERROR(side_.call());
  call_ns_ = since(start);
  GN_RETURN_IF_ERROR(compared_.plugin.copy_outputs(untraced));
  evidence_.is_stale = compared_.plugin.is_unwritten(traced);
  if (bits_equal(traced, untraced)) {
    ledger["outputs"] = "equal";
    return look_for_stale_outputs(traced);
  }
  const auto comparison = verify::compare_outputs(views(untraced), views(traced));
  if (comparison.outcome == "ok") {
    ledger["outputs"] = "within tolerance";
    return Status::ok();
  }
  evidence_.differs = "traced outputs differ from untraced ones: " + comparison.outcome;
  ledger["outputs"] = comparison.outcome + ": " + comparison.message;
  return Status::ok();
}

// The results of the first call, though inputs have changed since: eager says whether they should
// have stayed the same.
Status ProofPhase::look_for_stale_outputs(const std::vector<KeptOutput>& traced) {
  if (!shuffle_.has_effect() || !bits_equal(traced, compared_.plugin.kept())) return Status::ok();
  const std::int64_t start = measure::monotonic_raw_ns();
  std::vector<KeptOutput> eager;
  GN_RETURN_IF_ERROR(compared_.eager.prepare());
  GN_RETURN_IF_ERROR(compared_.eager.run());
  GN_RETURN_IF_ERROR(compared_.eager.copy_outputs(eager));
  eager_ns_ += since(start);
  evidence_.is_stale = evidence_.is_stale || !bits_equal(eager, compared_.eager.kept());
  return Status::ok();
}

Status ProofPhase::count_program(const eager::DispatcherUse& use) {
  const std::int64_t start = measure::monotonic_raw_ns();
  GN_RETURN_IF_ERROR(compared_.eager.prepare());
  eager::DispatcherCounts counts;
  GN_RETURN_IF_ERROR(compared_.eager.run());
  eager::DispatcherUse program = counts.take();
  for (auto& [name, times] : program.called) times *= static_cast<std::uint64_t>(num_calls_);
  evidence_.covers_program = eager::covers(use, program);
  eager_ns_ += since(start);
  return Status::ok();
}

void ProofPhase::sample(Json& ledger) {
  auto sampler = proof::ThreadSampler::start();
  if (!sampler.is_ok()) {
    ledger["samples"] = {{"unavailable", sampler.status().message()}};
    return;
  }
  const std::int64_t start = measure::monotonic_raw_ns();
  Status called;
  do {
    called = compared_.eager.prepare();
    compared_.plugin.prepare_outputs(/*poisoned=*/false);
    if (called.is_ok()) called = side_.call();
  } while (called.is_ok() && since(start) < kSampleNs);
  ledger["samples"] = proof::samples_json((*sampler)->stop(), regions_);
  if (!called.is_ok()) ledger["samples"]["failed"] = called.message();
}

}  // namespace graphnet::worker
