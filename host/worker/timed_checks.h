// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "measure/cycle_clock.h"
#include "measure/paired.h"
#include "record/flag.h"
#include "record/outcome.h"
#include "worker/correctness.h"
#include "worker/dense_copy.h"
#include "worker/eager_side.h"
#include "worker/input_shuffle.h"
#include "worker/plugin_side.h"

namespace graphnet::worker {

/// What the checks on timed calls found.
struct TimedFindings {
  int checked_calls = 0;   ///< of the plugin, drawn at random
  int shuffled_calls = 0;  ///< timed on inputs that no call had seen before
  /// Timed calls that were off on their inputs by no more than float64 accepts.
  int ill_conditioned_calls = 0;
  /// Why results on shuffled inputs are another matter than those on the sample's own; empty: they
  /// are not. See `sensitive` below.
  std::string sensitive;
  /// What is wrong, for Record::flags; kNone: nothing.
  record::Flag flag = record::Flag::kNone;
  record::Outcome outcome = record::Outcome::kNone;  ///< that it makes of the sample, with a flag
  std::string message;                               ///< one sentence about it
  /// What the place's own clock says of the timed calls, by pair; of the last call of a half. Empty
  /// on the host.
  std::vector<measure::PerSide<double>> span_ns;
};

/// Watches the timed calls of both sides for results that were not computed in them.
///
/// Every half is timed on inputs that the same side has not seen, not even in the untimed settle
/// call right before; both halves of a pair get the same. In a share of the pairs, drawn at random
/// so that nobody can know, the plugin's outputs are poisoned before its call, copied as soon as
/// the call returns, and compared with eager's of the same pair. All of it is outside the clocks.
///
/// | flag                | means                                                               |
/// |---------------------|---------------------------------------------------------------------|
/// | `late_output`       | outputs changed after gn_backend_run had returned                   |
/// | `unwritten_output`  | a timed call left its output as it was                              |
/// | `stale_output`      | a timed call gave the results of other inputs                       |
/// | `wrong_output`      | a timed call gave other results than eager and than an untimed call |
/// | `sensitive`         | on these inputs the plugin differs from eager in untimed calls too: |
/// |                     | the outcome stays that of the sample's own, the speedup is flagged  |
/// | `clock_tampered`    | durations are shorter by the system's clock than by cycle counter   |
class TimedChecks {
 public:
  /// The checks compare only if the plugin's first call agreed with eager.
  TimedChecks(const ComparedSample& compared, InputShuffle shuffle, bool compare,
              std::uint64_t seed);

  /// Both sides with their calls counted in cycles, and the hooks.
  measure::PerSide<measure::SideCalls> sides();
  measure::PairedHooks hooks();

  /// Puts the inputs back and looks at the clocks; `result` is null if a hook or call failed.
  TimedFindings finish(const measure::PairedResult* result);

 private:
  base::Status before_pair();
  base::Status before_half(measure::Side side);
  base::Status after_half(measure::Side side, int pair);
  base::Status compare_pair(int pair);
  base::Status found(record::Flag flag, record::Outcome outcome, const std::string& message);
  bool outputs_arrive_later();
  bool repeats_untimed();

  const ComparedSample compared_;
  EagerSide& eager_;
  PluginSide& plugin_;
  InputShuffle shuffle_;
  bool compare_;
  std::mt19937_64 generator_;
  measure::CycleRate rate_;
  std::int64_t start_ns_;
  double spent_ns_ = 0;  // on checks
  TimedFindings findings_;

  std::vector<KeptOutput> eager_outputs_;
  std::vector<KeptOutput> plugin_outputs_;
  bool is_checked_ = false;
  int halves_done_ = 0;
  std::uint64_t half_cycles_ = 0;
  std::vector<measure::PerSide<std::uint64_t>> cycles_;  // by pair
  std::vector<measure::PerSide<double>> span_ns_;        // by pair; empty on the host
};

}  // namespace graphnet::worker
