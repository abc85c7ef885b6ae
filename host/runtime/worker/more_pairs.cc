// SPDX-License-Identifier: MIT
#include "worker/more_pairs.h"

#include <algorithm>

#include "worker/fresh_inputs.h"
#include "worker/timed_checks.h"

namespace graphnet::worker {

namespace {

constexpr double kTimeNs = 4e9;
constexpr int kFewest = 5;
constexpr int kMost = 24;
// A leading call and what lies between the calls, beside the clocked one.
constexpr double kCallsOfASide = 3;

}  // namespace

int affordable_pairs(double pair_ns) {
  return static_cast<int>(std::clamp<double>(kTimeNs / std::max(pair_ns, 1.0), kFewest, kMost));
}

base::Result<measure::PairedResult> time_more_pairs(const ComparedSample& compared,
                                                    const measure::PerSide<double>& call_ns,
                                                    const measure::PairedSettings& settings,
                                                    const measure::Instruments& instruments) {
  measure::PairedSettings few = measure::passes(settings).front();
  few.max_pairs =
      affordable_pairs(kCallsOfASide * (call_ns[measure::kEager] + call_ns[measure::kBackend]));
  few.first_analysis = few.fewest_pairs = few.max_pairs;
  few.remeasure = false;
  few.control_every = 0;
  measure::PerSide<measure::Warmup> warmups;
  for (const measure::Side side : {measure::kEager, measure::kBackend}) {
    warmups[side].first_call_ns = call_ns[side];
  }
  TimedChecks checks(compared, fresh_inputs(compared.sample, compared.eager), /*compare=*/false);
  auto result = measure::time_paired(checks.sides(), warmups, checks.hooks(), few, instruments);
  checks.finish(result.is_ok() ? &*result : nullptr);
  return result;
}

}  // namespace graphnet::worker
