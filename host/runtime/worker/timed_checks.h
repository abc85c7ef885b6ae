// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/system_random.h"
#include "measure/paired.h"
#include "record/flag.h"
#include "record/outcome.h"
#include "worker/correctness.h"
#include "worker/dense_copy.h"
#include "worker/eager_side.h"
#include "worker/early_copy.h"
#include "worker/input_shuffle.h"
#include "worker/plugin_side.h"

namespace graphnet::worker {

/// What the checks on timed calls found.
struct TimedFindings {
  int checked_calls = 0;   ///< of the plugin, drawn at random
  int shuffled_calls = 0;  ///< timed on inputs that no call of the plugin had seen before
  /// Timed calls that were not near eager, which the whole outcome rule did not hold against them.
  int ill_conditioned_calls = 0;
  double content_bits = 0;  ///< see InputShuffle
  /// How long copying either side's outputs took in checked calls, on the host. The plugin's first
  /// copy, which allocates, is left out.
  measure::PerSide<std::vector<double>> copies_ns;
  /// What is wrong, for Record::flags; kNone: nothing.
  record::Flag flag = record::Flag::kNone;
  record::Outcome outcome = record::Outcome::kNone;  ///< that it makes of the sample, with a flag
  std::string message;                               ///< one sentence about it
  base::Status restored;  ///< why the inputs are not the sample's own again
  /// What the device's own clock says of the timed calls, by pair; of the last call of a side
  /// sample. Empty on the host.
  std::vector<measure::PerSide<double>> span_ns;
};

/// Watches the timed calls of both sides for results that were not computed in them.
///
/// Every call of the plugin gets inputs of its own, the leading call of a side sample too. They are
/// written right before the call, so a plugin that watches the inputs has no time to compute from
/// them. In a share of the pairs one call is checked. Whether it is this one is drawn from the
/// kernel's random numbers when a call has returned, so no memory tells before; each call of a side
/// sample has the same chance, and the last one that was drawn counts, so none is ever safe. Its
/// outputs are copied as soon as it returns, before anything else is looked at: all of them up to
/// 256 KiB; of larger ones 64 KiB at random offsets, which the whole copy behind the reading of the
/// counters must agree with. (Copying more would make waits of large samples uncertain.) On a
/// device outputs are copied after it has been waited for. All of it is outside the clocks, as is a
/// look at output tensors in each call and, on the host, at the guards in each side sample.
///
/// Eager's results on the same inputs are not in memory while the plugin runs, so the plugin cannot
/// copy them: where the plugin's side sample comes first, eager's side sample repeats its contents
/// and yields the results; where it comes second, the plugin gets contents that eager has not had,
/// and eager runs on the checked one afterwards. That run is what a check costs there, a copy and a
/// comparison elsewhere; such pairs are therefore checked more rarely. Beyond a tenth of the time a
/// quarter as many are checked, never none: a plugin may make checks dear.
///
/// | flag                | means                                                               |
/// |---------------------|---------------------------------------------------------------------|
/// | `late_output`       | outputs changed after gn_backend_run had returned                   |
/// | `unwritten_output`  | a timed call left its output as it was                              |
/// | `stale_output`      | a timed call gave the results of the first call, or within          |
/// |                     | tolerance of them, though eager's changed                           |
/// | `wrong_output`      | a timed call gave other results than eager and than an untimed call |
/// | `sensitive`         | on these inputs the plugin differs from eager in untimed calls too  |
class TimedChecks {
 public:
  /// The checks compare only if the plugin's first call agreed with eager.
  TimedChecks(const ComparedSample& compared, InputShuffle shuffle, bool compare);

  /// Both sides, and the hooks.
  measure::PerSide<measure::SideCalls> sides();
  measure::PairedHooks hooks();

  /// For a method that times calls on one input: makes so many calls of the plugin on others, each
  /// checked, none timed.
  ///
  /// errors   the first that failed; a finding is one too
  base::Status check_untimed(int calls);

  /// Puts the inputs back; `result` is null if a hook or call failed.
  TimedFindings finish(const measure::PairedResult* result);

 private:
  base::Status before_pair(const measure::PairPlan& plan);
  base::Status before_call(measure::Side side, int call);
  base::Status after_call(measure::Side side, int call);
  base::Status after_side_sample(measure::Side side, int pair);
  double chance_of_check(bool is_free) const;
  bool is_drawn();
  std::uint64_t content_of(measure::Side side, int call) const;
  bool copies_at_once(int call) const;
  base::Status after_call_of_eager(int call, bool is_drawn_now);
  base::Status copy_plugin();
  base::Status copy_eager();
  base::Status compute_eager();
  base::Status check_pair(int pair);
  base::Status compare_call(const std::string& which);
  base::Status judge_difference(const std::string& which);
  base::Status found(record::Flag flag, record::Outcome outcome, const std::string& message);
  base::Result<bool> outputs_arrive_late();
  base::Result<bool> repeats_untimed();
  bool is_of_the_first_call();

  const ComparedSample compared_;
  EagerSide& eager_;
  PluginSide& plugin_;
  InputShuffle shuffle_;
  bool compare_;
  base::SystemRandom random_;
  std::int64_t start_ns_;
  double spent_ns_ = 0;  // on checks
  TimedFindings findings_;

  std::vector<KeptOutput> eager_outputs_;
  std::vector<KeptOutput> plugin_outputs_;
  double copy_ns_ = 0;  // of this pair's checked call
  std::size_t output_bytes_ = 0;
  EarlyCopy early_copy_;
  measure::PairPlan plan_;
  measure::PerSide<std::uint64_t> first_content_ = {};
  double check_chance_ = 0;            // of each call of the plugin
  std::vector<bool> was_drawn_;        // by call of the plugin, the leading one first
  std::optional<int> checked_call_;    // of this pair
  std::uint64_t checked_content_ = 0;  // what the plugin computed from in it
  bool has_eager_ = false;             // its results on that
  bool is_last_call_ = false;          // no call of the plugin came after the checked one
  int side_samples_done_ = 0;
  std::vector<measure::PerSide<double>> span_ns_;  // by pair; empty on the host
};

}  // namespace graphnet::worker
