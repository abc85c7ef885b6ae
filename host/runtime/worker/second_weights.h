// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "journal/worker_message.h"
#include "record/flag.h"
#include "record/parts.h"
#include "worker/correctness.h"
#include "worker/second_timing.h"

namespace graphnet::worker {

/// Of the second weights: not that of input generation.
inline constexpr std::uint64_t kSecondWeightsSeed = 20261;

/// What the host needs for second weights is known from the first ones.
struct SecondWeightsCosts {
  double eager_ns = 0;               ///< of one call, as in its warm-up
  std::int64_t peak_live_bytes = 0;  ///< that it adds
  std::int64_t available_bytes = 0;  ///< of memory, before the plugin was loaded
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
  record::Flag flag = record::Flag::kNone;  ///< of a timed call that was wrong
  std::string message;
  /// Eager's outputs change with the inputs, and the plugin's followed them.
  bool is_evidence = false;
  /// They were not tried because they do not fit beside the plugin, or beside what it says it
  /// keeps.
  bool is_crowded_out = false;
};

/// Gives both sides weights that let a signal through, in place of the generated ones, and decides
/// by the outcome rule once more, on the inputs of a seed that is drawn (on the sample's own if
/// none changes with the seed). Weights that a plugin built into its code show here. Mode `bound`:
/// bind is called again on the same executable; `per_call`: the weights come with the calls;
/// `frozen`: a second executable is compiled, if the task asks for it. The calls are timed, and
/// where these tell too little a few pairs (second_timing.h), so that speed that only the first
/// weights give shows too.
///
/// The plugin's call comes first, and eager's on the same inputs and weights after it. No memory,
/// freed memory included, then holds a result that the plugin could copy. The run that calibrates
/// the weights has inputs of other content; how far its results are from those that are compared
/// says how much eager's depend on the inputs.
///
/// The first weights are put back, bound again, and one call must give what eager gave on them at
/// first; of calls above 50 ms the timed ones show that. Nothing is tried, and the reason recorded,
/// if it would take longer than half a minute of eager's time, does not fit in memory, or no weight
/// may change.
///
/// order    before everything that is timed: a plugin that counts its binds then cannot tell the
///          timed calls from those that the proof watches
SecondWeightsResult try_second_weights(const ComparedSample& compared, const journal::Task& task,
                                       const SecondWeightsCosts& costs,
                                       const SecondTimingMeans& means);

}  // namespace graphnet::worker
