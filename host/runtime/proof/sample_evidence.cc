// SPDX-License-Identifier: MIT
#include "proof/sample_evidence.h"

#include <sched.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "proof/findings.h"
#include "proof/thread_signals.h"

namespace graphnet::proof {

namespace {

constexpr std::size_t kLeastDenied = 3;
constexpr std::size_t kDeniedOneIn = 20;  // of those that were running

// Below, chance alone may leave most of them out.
constexpr std::int64_t kLeastExpected = 24;
// A look at a thread that waits wakes it. That takes 22 us of processor time on a busy machine, and
// longer in some virtual ones: what the sampler says counts, within bounds. A caller could hide
// behind longer looks, and behind those that take as long as it is to the next one.
constexpr std::int64_t kLeastLookNs = 20'000;
constexpr std::int64_t kMostLookNs = 100'000;
constexpr std::int64_t kLeastShare = 8;  // one in so many that are expected

bool is_enough(std::size_t denied, std::size_t running) {
  return denied >= kLeastDenied && denied * kDeniedOneIn >= running;
}

/// True if far fewer samples came than so much processor time asks for.
bool are_missing(std::int64_t num_samples, std::int64_t ran_ns, std::int64_t period_ns) {
  const std::int64_t expected = ran_ns / std::max<std::int64_t>(1, period_ns);
  return expected >= kLeastExpected && num_samples * kLeastShare < expected;
}

/// What samples say of the thread that called.
struct CallerSamples {
  std::int64_t num_running = 0;
  std::int64_t num_yielding = 0;
  std::int64_t num_waiting = 0;
};

/// True behind the system call of libc's sched_yield. A caller may spin there until its pool has
/// finished: what it does there is known, and it takes processor time.
bool is_yielding(const Sample& sample) {
  constexpr std::uintptr_t kLongestFunction = 32;
  const auto begin = reinterpret_cast<std::uintptr_t>(&::sched_yield);
  return sample.is_waiting && sample.instruction - begin < kLongestFunction;
}

void count(const Sample& sample, CallerSamples& caller) {
  if (is_yielding(sample)) {
    ++caller.num_yielding;
  } else {
    ++(sample.is_waiting ? caller.num_waiting : caller.num_running);
  }
}

/// True if the caller spent time of its own in which samples found it in system calls only. Where
/// others work, looks at a caller that waits explain a part of it. What is left may be too little
/// to matter: a twentieth of what samples show of all threads is not seen in libtorch either.
bool is_caller_unseen(const CallerSamples& caller, std::int64_t ran_ns, std::size_t num_running,
                      const SampleLog& log) {
  const std::int64_t period_ns = log.period_ns;
  const bool others_work = num_running > static_cast<std::size_t>(caller.num_running);
  const std::int64_t most_ns = std::max(kLeastLookNs, std::min(kMostLookNs, period_ns / 2));
  const std::int64_t look_ns = std::clamp(log.look_ns, kLeastLookNs, most_ns);
  if (others_work) ran_ns -= caller.num_waiting * look_ns;
  const std::int64_t num_seen = caller.num_running + caller.num_yielding;
  if (!are_missing(num_seen, ran_ns, period_ns)) return false;
  const std::int64_t expected = ran_ns / std::max<std::int64_t>(1, period_ns);
  return static_cast<std::size_t>(expected - num_seen) * kDeniedOneIn >= num_running;
}

/// The call that a moment lies in or before whose beginning it lies, its inputs being there.
const SampledCall* call_at(const std::vector<SampledCall>& calls, std::int64_t time_ns) {
  const auto after = std::upper_bound(
      calls.begin(), calls.end(), time_ns,
      [](std::int64_t time, const SampledCall& call) { return time < call.renewed_ns; });
  if (after == calls.begin()) return nullptr;
  const SampledCall& call = *std::prev(after);
  return time_ns < call.end_ns ? &call : nullptr;
}

/// Drops what lies in allowed functions; the name that is left most often.
std::string weigh(const std::vector<std::uintptr_t>& denied, const std::vector<Region>& regions,
                  std::size_t& num_denied) {
  std::map<std::string, std::size_t> counts;
  num_denied = 0;
  for (const std::string& name : name_addresses(denied, regions)) {
    if (is_allowed(name)) continue;
    ++num_denied;
    ++counts[name];
  }
  const auto most = std::max_element(
      counts.begin(), counts.end(),
      [](const auto& one, const auto& other) { return one.second < other.second; });
  return most == counts.end() ? "" : most->first;
}

std::string missing_of_threads(const SampleLog& log) {
  for (const SampledThread& thread : log.threads) {
    const auto count =
        std::count_if(log.samples.begin(), log.samples.end(),
                      [&](const Sample& sample) { return sample.thread == thread.thread; });
    if (!are_missing(count, thread.ran_ns, log.period_ns)) continue;
    const ThreadState state = read_thread(thread.thread);
    // The driver's block all signals and run its own code; one that has ended took what it got.
    if (state.id == 0 || is_drivers(state)) continue;
    return describe_thread(state) + " does not receive the sampler's signals";
  }
  return "";
}

/// Why samples that should be there may be missing; empty if none is.
std::string missing_samples(const SampleLog& log, const SampledCalls& called,
                            const CallerSamples& caller, std::size_t num_running) {
  if (log.lost_signal) return "other code replaced the handler of the sampler's signal";
  if (log.is_full) return "";
  const std::string missing = missing_of_threads(log);
  if (!missing.empty()) return missing;
  return is_caller_unseen(caller, called.ran_ns, num_running, log)
             ? "too few samples were taken in its calls outside of system calls"
             : "";
}

}  // namespace

SampleEvidence judge_samples(const SampleLog& log, const SampledCalls& called,
                             const std::vector<Region>& regions) {
  SampleEvidence evidence;
  std::vector<std::uintptr_t> denied;
  CallerSamples caller;
  bool is_covered = false;
  for (const Sample& sample : log.samples) {
    const SampledCall* call = call_at(called.calls, sample.time_ns);
    if (call == nullptr) continue;
    const bool is_caller = sample.thread == called.thread;
    const bool is_in_call = sample.time_ns >= call->begin_ns;
    if (is_caller && !is_in_call) continue;  // the host, which changes the inputs
    ++evidence.num_in_calls;
    is_covered =
        is_covered || (called.fault_handler != 0 && sample.fault_handler != called.fault_handler);
    if (is_caller) count(sample, caller);
    if (sample.is_waiting) continue;
    ++evidence.num_running;
    const Region* region = find_region(regions, sample.instruction);
    if (region != nullptr && region->kind == RegionKind::kDeny) {
      denied.push_back(sample.instruction);
    }
  }
  evidence.num_denied = denied.size();
  // Names cost milliseconds, and decide only then.
  if (is_enough(denied.size(), evidence.num_running)) {
    evidence.function = weigh(denied, regions, evidence.num_denied);
    if (!is_enough(evidence.num_denied, evidence.num_running)) evidence.function.clear();
  }
  if (is_covered) {
    evidence.doubt = "during its calls the plugin replaces the tracer's SIGSEGV handler";
  } else {
    evidence.doubt = missing_samples(log, called, caller, evidence.num_running);
    evidence.are_too_few = !evidence.doubt.empty() && !log.lost_signal;
  }
  return evidence;
}

}  // namespace graphnet::proof
