// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"

namespace graphnet::measure {

/// How often one side is called.
///
/// source   defaults of GraphNet bench test_compiler: 3 warm-ups after the first call, 5 trials
struct TrialCounts {
  int warmup = 3;
  int trials = 5;
};

/// Durations of one side, in call order.
///
/// units    nanoseconds of CLOCK_MONOTONIC_RAW
struct SideDurations {
  double first_call_ns = 0;
  std::vector<double> warmup_ns;
  std::vector<double> trials_ns;
};

/// What one side does; each function may be empty but `call`.
struct SideCalls {
  /// Before every call, outside the clock: puts back what a call changes (generator, arguments).
  std::function<base::Status()> prepare;
  /// The call that is timed.
  std::function<base::Status()> call;
  /// Right after the first call, outside the clock: keeps its outputs.
  std::function<base::Status()> after_first;
};

/// Protocol `upstream`: the first call, the warm-ups, then the trials of one side without a pause.
/// What a duration includes and excludes is said in protocol.h.
///
/// errors   the first failing function's status
base::Result<SideDurations> time_sequential(const SideCalls& side, TrialCounts counts);

}  // namespace graphnet::measure
