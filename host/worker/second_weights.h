// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "base/json.h"
#include "journal/worker_message.h"
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
  /// For the record's checks: {"outcome": of the rule, "ok" and so on, "ill_conditioned"
  /// (eager itself is too far from float64), "plugin_failed", "runtime_failed", "out_of_memory", or
  /// "not_tried"; "message"; "evidence": "sensitive",
  /// "insensitive" or "non_finite", what eager makes of them; "sensitivity" (sensitivity.h);
  /// "bind_ns"; "compile_ns" (mode frozen); "seed"; "changed", "unchanged": weights}. Without
  /// outcome `ok` nothing is known of the plugin where eager's results are not finite: such are
  /// not compared.
  base::Json json;
  /// What becomes of the sample; empty: its outcome stands.
  std::string outcome;
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
