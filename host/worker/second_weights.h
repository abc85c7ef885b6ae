// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "journal/worker_message.h"
#include "record/parts.h"
#include "worker/correctness.h"

namespace graphnet::worker {

/// Of the second weights: not that of replay.
inline constexpr std::uint64_t kSecondWeightsSeed = 20261;

/// What the host needs for second weights is known from the first ones.
struct SecondWeightsCosts {
  double eager_ns = 0;               ///< of one call
  std::int64_t peak_live_bytes = 0;  ///< that it adds
};

/// What second weights showed.
struct SecondWeightsResult {
  /// For the record's checks. Its outcome is that of the rule, ill-conditioned (eager itself is too
  /// far from float64), kPluginFailed, kRuntimeFailed, kOutOfMemory, or not tried. Without outcome
  /// kOk nothing is known of the plugin where eager's results are not finite: such are not
  /// compared.
  record::SecondWeights found;
  /// What becomes of the sample; kNone: its outcome stands.
  record::Outcome outcome = record::Outcome::kNone;
  std::string message;
  /// Eager's outputs change with the inputs, and the plugin's followed them.
  bool is_evidence = false;
};

/// Gives both sides weights that let a signal through, in place of the replayed ones, and decides
/// by the outcome rule once more, on the sample's own inputs and on those of another seed. Weights
/// that a plugin built into its code show here. Mode `bound`: bind is called again on the same
/// executable; `per_call`: the weights come with the calls; `frozen`: a second executable is
/// compiled, if the task asks for it.
///
/// The first weights are put back, bound again, and one call must give what eager gave on them at
/// first. Nothing is tried, and the reason recorded, if it would take longer than half a minute of
/// eager's time, does not fit in memory, or no weight may change.
///
/// order    after everything that is timed, before the proof
SecondWeightsResult try_second_weights(const ComparedSample& compared, const journal::Task& task,
                                       const SecondWeightsCosts& costs);

}  // namespace graphnet::worker
