// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "proof/regions.h"

namespace graphnet::proof {

/// Where a thread was when its timer rang.
struct Sample {
  std::uintptr_t instruction = 0;
  int thread = 0;
  bool is_waiting = false;           ///< in a system call
  std::int64_t time_ns = 0;          ///< CLOCK_MONOTONIC_RAW
  std::uintptr_t fault_handler = 0;  ///< of SIGSEGV at that moment
};

/// A thread that was sampled, or that should have been.
struct SampledThread {
  int thread = 0;
  std::int64_t ran_ns = 0;  ///< processor time meanwhile
};

/// What a sampler has seen.
struct SampleLog {
  std::vector<Sample> samples;  ///< in the order in which they were taken
  std::vector<SampledThread> threads;
  std::int64_t period_ns = 0;  ///< mean time between two samples of a thread
  std::int64_t look_ns = 0;    ///< processor time of a sample of a thread that waits; 0: not known
  bool is_full = false;        ///< there were more samples than can be kept
  bool lost_signal = false;    ///< somebody else handled the sampler's signal in the end
};

/// A thousand samples a second.
inline constexpr std::int64_t kSlowPeriodNs = 1'000'000;

/// Samples every thread of the process, by timers on the wall clock (timers on processor time fire
/// at most 250 times a second). The time to the next sample is drawn from half to one and a half
/// periods, so that periodic code cannot avoid it. Threads that begin later are not sampled, nor
/// are those that have no alternate signal stack because they block signals (signal_stacks.h):
/// their processor time is noted. A system call of a sampled thread may end early (EINTR). A thread
/// of the sampler's own, which is in no log, shows what a sample costs.
///
/// source   asked 1,000, got 1,000 a second, 1.8 % slower over 150 pairs
class ThreadSampler {
 public:
  /// What samples get their times from; it is called in signal handlers.
  using Clock = std::int64_t (*)();

  /// `clock`: null: CLOCK_MONOTONIC_RAW by a system call.
  ///
  /// errors   kUnsupported: no free real-time signal, or no timer
  static base::Result<std::unique_ptr<ThreadSampler>> start(std::int64_t period_ns = kSlowPeriodNs,
                                                            Clock clock = nullptr);
  ~ThreadSampler();
  ThreadSampler(const ThreadSampler&) = delete;
  ThreadSampler& operator=(const ThreadSampler&) = delete;

  /// Ends sampling.
  SampleLog stop();

 private:
  struct State;
  explicit ThreadSampler(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// Samples of one module.
struct ModuleShare {
  std::string module;
  RegionKind kind = RegionKind::kHost;
  std::string epoch;
  double share = 0;  ///< of the samples that were not waiting
};

/// How the samples that were not waiting divide over modules.
///
/// order    regions by address; largest share first; samples of nowhere are the module "unknown"
std::vector<ModuleShare> shares_of(const std::vector<Sample>& samples,
                                   const std::vector<Region>& regions);

}  // namespace graphnet::proof
