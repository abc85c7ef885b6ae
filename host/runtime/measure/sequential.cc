// SPDX-License-Identifier: MIT
#include "measure/sequential.h"

#include <string>

#include "measure/clock.h"

namespace graphnet::measure {

namespace {

// Durations are taken here only: between the two readings there is nothing but the call.
base::Status time_once(const SideCalls& side, double& duration_ns) {
  if (side.prepare) GN_RETURN_IF_ERROR(side.prepare());
  const std::int64_t begin_ns = monotonic_raw_ns();
  base::Status status = side.call();
  const std::int64_t end_ns = monotonic_raw_ns();
  duration_ns = static_cast<double>(end_ns - begin_ns);
  return status;
}

base::Status time_warmups(const SideCalls& side, std::vector<double>& durations_ns) {
  for (std::size_t i = 0; i < durations_ns.size(); ++i) {
    base::Status status = time_once(side, durations_ns[i]);
    if (!status.is_ok()) return status.add_context("warm-up " + std::to_string(i + 1));
  }
  return base::Status::ok();
}

/// A call with what the device's own clock says of it.
base::Status time_trial(const SideCalls& side, SideDurations& durations, std::size_t trial) {
  GN_RETURN_IF_ERROR(time_once(side, durations.trials_ns[trial]));
  if (!side.event_ns) return base::Status::ok();
  GN_ASSIGN_OR_RETURN(durations.event_ns[trial], side.event_ns());
  return base::Status::ok();
}

}  // namespace

base::Result<SideDurations> time_sequential(const SideCalls& side, TrialCounts counts) {
  if (counts.warmup < 0 || counts.trials < 0) {
    return base::Status(base::Code::kUsage, "the number of warm-ups and trials cannot be negative");
  }
  SideDurations durations;
  // Filled with zeros now: the trials then write to memory that is already mapped.
  durations.warmup_ns.resize(static_cast<std::size_t>(counts.warmup));
  durations.trials_ns.resize(static_cast<std::size_t>(counts.trials));
  if (side.event_ns) durations.event_ns.resize(static_cast<std::size_t>(counts.trials));
  GN_RETURN_IF_ERROR(time_once(side, durations.first_call_ns).add_context("first call"));
  if (side.after_first) GN_RETURN_IF_ERROR(side.after_first());
  GN_RETURN_IF_ERROR(time_warmups(side, durations.warmup_ns));
  for (std::size_t i = 0; i < durations.trials_ns.size(); ++i) {
    base::Status status = time_trial(side, durations, i);
    if (!status.is_ok()) return status.add_context("trial " + std::to_string(i + 1));
  }
  return durations;
}

}  // namespace graphnet::measure
