// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/result.h"
#include "measure/side_calls.h"

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
  /// Of each trial by the device's own clock, which is no part of the others; empty on the host.
  std::vector<double> event_ns;
};

/// Protocol `upstream`: the first call, the warm-ups, then the trials of one side without a pause.
/// What a duration includes and excludes is said in protocol.h.
///
/// errors   the first failing function's status
base::Result<SideDurations> time_sequential(const SideCalls& side, TrialCounts counts);

}  // namespace graphnet::measure
