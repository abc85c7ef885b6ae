// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "proof/regions.h"
#include "proof/thread_sampler.h"

namespace graphnet::proof {

/// A call of the plugin during which threads were sampled; times of the sampler's clock.
struct SampledCall {
  std::int64_t renewed_ns = 0;  ///< from here on its inputs could be read
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};

struct SampledCalls {
  std::vector<SampledCall> calls;  ///< one after the other
  int thread = 0;                  ///< that called
  std::int64_t ran_ns = 0;         ///< its processor time in the calls, at least
  /// What SIGSEGV must call meanwhile: the execute-deny tracer; 0: anything.
  std::uintptr_t fault_handler = 0;
};

/// What samples say of the calls.
struct SampleEvidence {
  std::size_t num_in_calls = 0;
  std::size_t num_running = 0;  ///< of them, not waiting in a system call
  std::size_t num_denied = 0;   ///< of them, in libtorch and not in what is allowed there
  /// Where most of those lie. Empty: they are too few to say anything.
  std::string function;
  /// Why the samples prove nothing: a reason for which some may be missing. Empty: there is none.
  std::string doubt;
  bool are_too_few = false;  ///< that is the doubt, and chance may be its cause
};

/// Decides what samples show. Three samples in denied code that are a twentieth of the running ones
/// in calls prove work there. One or two may come from a thread that libtorch left, or from a clock
/// that was read late. Threads other than the one that calls count from the moment on in which they
/// can read the inputs, whatever they then work ahead.
///
/// Samples are missing if there are fewer than an eighth of those that the processor time predicts:
/// then a thread blocks the signal, or another handler gets it. In calls those are left out that
/// came in a system call: unblocking signals is one. Where other threads do the work and the caller
/// waits for them, the processor time of the caller that neither samples nor the sampling itself
/// explain must be a twentieth of all sampled time.
///
/// order    regions by address
SampleEvidence judge_samples(const SampleLog& log, const SampledCalls& called,
                             const std::vector<Region>& regions);

}  // namespace graphnet::proof
