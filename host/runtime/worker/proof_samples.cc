// SPDX-License-Identifier: MIT
//
// The part of ProofPhase beside the execute-deny tracer: where threads are, whose code it is that
// ran, and what else runs.
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "base/loaded_objects.h"
#include "base/text.h"
#include "measure/clock.h"
#include "measure/idle_wait.h"
#include "proof/copied_code.h"
#include "proof/findings.h"
#include "proof/ledger.h"
#include "proof/moments.h"
#include "proof/thread_sampler.h"
#include "proof/thread_signals.h"
#include "worker/proof_phase.h"

namespace graphnet::worker {

using base::Json;
using base::Status;

namespace {

// So many looks at the caller in calls; where what is beside calls takes most of the time, as many
// as there are in a bounded time.
constexpr std::int64_t kFastPeriodNs = 100'000;
constexpr std::size_t kThreadsAtFullPace = 8;
constexpr int kLooksInCalls = 60;
constexpr std::int64_t kMostSampledNs = 30'000'000;
// A twentieth of these is as many as are expected at least (sample_evidence.cc). By the wall clock
// there are at most so many, so that a call that sleeps does not fill what can be kept.
constexpr std::int64_t kLooksInLongCall = 500;
constexpr double kMostLooksInCall = 4000;
constexpr double kSearchedShare = 0.5;  // of libtorch's code, for copies
// Of the timed calls' median, in the shortest of the calls here.
constexpr double kSlowerCalls = 2;
constexpr int kLongerTries = 5;
constexpr int kLongerRounds = 4;
constexpr std::int64_t kQuietWaitNs = 250'000'000;  // between two rounds, at most
// A busy machine delivers too few of the sampler's signals now and then, hardly three times.
constexpr int kMostSamplings = 3;

// Names of steps, as timelines show them.
constexpr const char* kSampling = "sampling";
constexpr const char* kCopies = "looking for copies";
constexpr const char* kHelpers = "looking for processes";

// A system call would take as long as a short call of the plugin.
std::int64_t now_ns() {
  return measure::monotonic_raw_ns();
}

std::int64_t own_ran_ns() {
  return measure::clock_ns_by_syscall(CLOCK_THREAD_CPUTIME_ID);
}

}  // namespace

// Each look wakes a thread: many threads are looked at less often, and long calls too. A caller
// that waits for others would else spend its processor time on looks.
std::int64_t ProofPhase::sample_period_ns() const {
  const std::size_t paces = 1 + (proof::read_threads().size() - 1) / kThreadsAtFullPace;
  const auto shortest_ns = kFastPeriodNs * static_cast<std::int64_t>(paces);
  const auto keepable_ns =
      static_cast<std::int64_t>(steps_.total_ns(kUntracedCall) / kMostLooksInCall);
  return std::min(proof::kSlowPeriodNs,
                  std::max({shortest_ns, call_length_ns_ / kLooksInLongCall, keepable_ns}));
}

ProofPhase::SampledTrace ProofPhase::sample(Json& ledger) {
  SampledTrace sampled = sample_once(ledger);
  for (int i = 1; i < kMostSamplings && sampled.are_too_few; ++i) {
    SampledTrace again = sample_once(ledger);
    again.beside_ns += sampled.beside_ns;
    again.shortest_call_ns = std::min(again.shortest_call_ns, sampled.shortest_call_ns);
    sampled = std::move(again);
  }
  return sampled;
}

ProofPhase::SampledTrace ProofPhase::sample_once(Json& ledger) {
  std::unique_ptr<proof::ThreadSampler> sampler;
  const std::int64_t period_ns = sample_period_ns();
  {
    const ScopedStep step(steps_, kSampling);
    auto started = proof::ThreadSampler::start(period_ns, &now_ns);
    if (!started.is_ok()) {
      ledger["samples"] = {{"unavailable", started.status().message()}};
      evidence_.unsampled = "threads cannot be sampled: " + started.status().message();
      return {};
    }
    sampler = std::move(started).value();
  }
  SampledTrace sampled;
  proof::SampledCalls called;
  const Status status = sampled_calls(period_ns, called, sampled);
  const ScopedStep step(steps_, kSampling);
  proof::SampleLog log = sampler->stop();
  sampled.are_too_few = weigh_samples(log, called, ledger) && status.is_ok();
  if (!status.is_ok()) {
    ledger["samples"]["failed"] = status.message();
    evidence_.unsampled = "a sampled call failed: " + status.message();
  }
  sampled.samples = std::move(log.samples);
  return sampled;
}

Status ProofPhase::sampled_calls(std::int64_t period_ns, proof::SampledCalls& called,
                                 SampledTrace& sampled) {
  called.thread = static_cast<int>(::gettid());
  called.fault_handler = tracer_ ? proof::handler_of(SIGSEGV) : 0;
  const std::int64_t ran_before_ns = own_ran_ns();
  const std::int64_t begin_ns = now_ns();
  std::int64_t in_calls_ns = 0;
  Status status;
  {
    const ScopedStep step(steps_, kSampledCall);
    do {
      status = sampled_call(called);
      if (called.calls.empty()) break;
      const std::int64_t call_ns = called.calls.back().end_ns - called.calls.back().begin_ns;
      in_calls_ns += call_ns;
      sampled.shortest_call_ns = std::min(sampled.shortest_call_ns, static_cast<double>(call_ns));
    } while (status.is_ok() && in_calls_ns < kLooksInCalls * period_ns &&
             now_ns() - begin_ns < kMostSampledNs);
  }
  const std::int64_t outside_ns = now_ns() - begin_ns - in_calls_ns;
  called.ran_ns = own_ran_ns() - ran_before_ns - outside_ns;
  sampled.beside_ns = static_cast<double>(outside_ns);
  return status;
}

// No step of its own: there may be ten thousand.
Status ProofPhase::sampled_call(proof::SampledCalls& called) {
  const bool is_host = compared_.eager.device().is_host();
  if (!is_host) GN_RETURN_IF_ERROR(shuffle_.next());
  if (compared_.eager.needs_prepare()) GN_RETURN_IF_ERROR(compared_.eager.prepare());
  GN_RETURN_IF_ERROR(compared_.plugin.prepare_outputs());
  proof::SampledCall call;
  call.renewed_ns = now_ns();
  if (is_host) GN_RETURN_IF_ERROR(shuffle_.next());
  call.begin_ns = now_ns();
  const Status status = side_.call();
  call.end_ns = now_ns();
  called.calls.push_back(call);
  return status;
}

bool ProofPhase::weigh_samples(const proof::SampleLog& log, const proof::SampledCalls& called,
                               Json& ledger) {
  // A key that is new to the ledger moves the others: nothing may refer to them meanwhile.
  ledger["moments"]["samples"] =
      proof::moments_json(proof::moments_of(log.samples, regions_), steps_.start_ns());
  Json& samples = ledger["samples"];
  samples = proof::samples_json(log.samples, regions_);
  samples["calls"] = called.calls.size();
  // Whoever asks the host to run eager is known by that.
  if (compared_.plugin.eager_runs() != 0) return false;
  const proof::SampleEvidence evidence = proof::judge_samples(log, called, regions_);
  evidence_.sampled = evidence.function;
  evidence_.unsampled = evidence.doubt;
  samples["in_calls"] = evidence.num_in_calls;
  samples["in_calls_running"] = evidence.num_running;
  samples["in_calls_denied"] = evidence.num_denied;
  return evidence.are_too_few && evidence.function.empty();
}

// What was timed must be what is traced: code that is several times as slow is other code. A busy
// machine makes single calls as slow, hardly all of them in a second.
Status ProofPhase::look_for_slower_calls(double shortest_ns, Json& ledger) {
  const bool are_alike = compared_.eager.device().is_host() && !compared_.plugin.is_captured();
  if (timed_call_ns_ <= 0 || !are_alike) return Status::ok();
  const double most_ns = kSlowerCalls * timed_call_ns_;
  for (int i = 0; i < kLongerRounds * kLongerTries && shortest_ns > most_ns; ++i) {
    if (i != 0 && i % kLongerTries == 0) measure::wait_until_quiet(kQuietWaitNs);
    GN_RETURN_IF_ERROR(renew_inputs());
    GN_RETURN_IF_ERROR(prepare_call());
    GN_ASSIGN_OR_RETURN(const std::int64_t length_ns, length_of_call(kUntracedCall));
    shortest_ns = std::min(shortest_ns, static_cast<double>(length_ns));
  }
  ledger["shortest_call_ns"] = shortest_ns;
  if (shortest_ns > most_ns && evidence_.differs.empty()) {
    evidence_.differs = "calls take " + base::format_duration(shortest_ns) + " and more here, " +
                        base::format_duration(timed_call_ns_) + " in the timed pairs";
  }
  return Status::ok();
}

// Of all instructions that are known to have run.
void ProofPhase::look_for_copies(const std::vector<proof::Hit>& hits,
                                 const std::vector<proof::Sample>& samples, Json& ledger) {
  const ScopedStep step(steps_, kCopies);
  std::vector<std::uintptr_t> ran;
  for (const proof::Hit& hit : hits) ran.push_back(hit.instruction);
  for (const proof::Sample& sample : samples) ran.push_back(sample.instruction);
  const std::vector<proof::CopiedCode> copies =
      proof::find_copied_code(ran, regions_, base::loaded_objects(), kSearchedShare);
  if (copies.empty()) return;
  std::vector<std::uintptr_t> originals;
  for (const proof::CopiedCode& copy : copies) originals.push_back(copy.original);
  const std::vector<std::string> names = proof::name_addresses(originals, regions_);
  ledger["copied"] = Json::array();
  for (std::size_t i = 0; i < copies.size(); ++i) {
    const proof::Region* region = proof::find_region(regions_, copies[i].address);
    ledger["copied"].push_back(
        {{"symbol", names[i]}, {"module", base::module_name(region->mapping.path)}});
    if (proof::is_allowed(names[i]) || proof::is_generated_elsewhere(names[i])) continue;
    const std::string name = "copy of " + names[i];
    auto& entered = evidence_.entered;
    const bool is_new = std::find(entered.begin(), entered.end(), name) == entered.end();
    if (is_new) entered.push_back(name);
  }
}

// Work of another process cannot be traced.
void ProofPhase::look_for_helpers() {
  if (family_ == nullptr) return;
  const ScopedStep step(steps_, kHelpers);
  family_->scan();
  std::vector<std::string> living = family_->living();
  if (living.size() > helpers_.size()) helpers_ = std::move(living);
  auto& flags = evidence_.flags;
  const bool is_known = std::any_of(flags.begin(), flags.end(), [](const auto& flag) {
    return flag.value() == record::Flag::kHelperProcess;
  });
  if (!helpers_.empty() && !is_known) flags.emplace_back(record::Flag::kHelperProcess);
}

}  // namespace graphnet::worker
