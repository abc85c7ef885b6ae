// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "record/verdict.h"

namespace graphnet::measure {

/// The two that are compared, also as an index.
enum Side : std::size_t { kEager = 0, kBackend = 1 };

template <typename T>
using PerSide = std::array<T, 2>;

/// What one side did before the first pair.
///
/// units    nanoseconds of CLOCK_MONOTONIC_RAW
struct Warmup {
  double first_call_ns = 0;
  /// In call order, without the first call; without the calling thread's waits, if it alone ran.
  std::vector<double> warmup_ns;
  /// Of each of these calls, what the host does right before and behind it: output buffers, other
  /// content, the way to the clock and from it. Waits are left out.
  std::vector<double> around_ns;
  std::vector<double> reading_ns;  ///< of the counters, which is not in around_ns
  double typical_ns() const;       ///< median of the last five, or of what there is
};

/// One pair as it was measured.
///
/// units    nanoseconds a call: mean of the side sample's clocked calls, less clock_ns
struct Pair {
  PerSide<double> call_ns = {};      ///< wall clock
  PerSide<double> waited_ns = {};    ///< of it, waiting for a core that another program had
  PerSide<std::uint8_t> marks = {};  ///< Disturbance bits of each side sample
  /// Of a whole side sample, not of a call, with what surrounds it: time on a core of the process
  /// and of all processes that it has started, and the wall clock of the same stretch.
  PerSide<double> ran_ns = {};
  PerSide<double> span_ns = {};
  /// As Warmup::around_ns, a call; and the side sample's reading of the counters.
  PerSide<double> around_ns = {};
  /// As ran_ns and span_ns, of the host's steps before the first call's clock.
  PerSide<double> steps_ran_ns = {};
  PerSide<double> steps_span_ns = {};
  /// call_ns without waits, for checks alone: also where they are no part of waited_ns
  /// (unwaited_ns() of disturbance.h).
  PerSide<double> unwaited_ns = {};
  bool backend_first = false;
  /// The plugin's side sample was marked as kPreempted for a wait that its own threads may have
  /// caused; the mark may be taken away again.
  bool may_be_own_wait = false;

  /// What the ratio is made of: the call without the wait.
  double own_ns(Side side) const { return call_ns[side] - waited_ns[side]; }
  bool is_disturbed() const { return (marks[kEager] | marks[kBackend]) != 0; }
};

/// Why an attempt ended.
enum class Stop {
  kPrecise,     ///< the interval is as narrow as asked for
  kEquivalent,  ///< the interval lies within the margin around 1
  kPairs,       ///< as many pairs as are allowed
  kTime,        ///< the time is spent
};

using Verdict = record::TimingVerdict;

/// Why nothing is claimed.
enum class Unstable {
  kNone,   ///< something is
  kDrops,  ///< more pairs were disturbed than may be dropped
  kWaits,  ///< more was taken out of a side than may be
  kWidth,  ///< the interval is too wide
};

/// "precise", "equivalent", "pairs", "time".
const char* stop_name(Stop stop);
/// "", "drops", "waits", "width".
const char* unstable_name(Unstable reason);

/// The numbers made from the pairs of one attempt; every ratio is eager time by backend time.
struct PairedSummary {
  double ratio = 1;  ///< exp of the median of the log ratios: the headline
  double low = 0;    ///< interval of `ratio`
  double high = 0;
  double confidence = 0;  ///< of this one interval, after the split over the interim analyses
  /// Interval of `ratio` at 99 % and more, for the words `faster` and `slower`.
  double sure_low = 0;
  double sure_high = 0;
  double hodges_lehmann = 1;       ///< second opinion
  double ratio_of_minima = 1;      ///< of the wall clock: right if every disturbance only adds time
  double ratio_of_medians = 1;     ///< what a table of two medians would show
  PerSide<double> median_ns = {};  ///< of a call, without waits
  double waited_share = 0;         ///< of the wall clock of all side samples
  /// What was taken out as waits, of the side's wall clock.
  PerSide<double> removed_share = {};
  double first_mover_bias = 0;  ///< log; positive: the side sample that came first took longer
  int block_length = 1;         ///< of the bootstrap; above 1: neighbouring pairs were alike
  int kept = 0;                 ///< pairs used for all of the above
  int dropped = 0;              ///< disturbed pairs
  /// More than the allowed share was disturbed, or fewer pairs than PairedSettings::fewest_pairs
  /// are left: nothing was dropped.
  bool drops_exceeded = false;
  bool waits_exceeded = false;  ///< more than the allowed share was taken out of a side

  /// False if `low` and `high` may not be shown: what they would be made of is not trusted.
  bool has_interval() const { return kept > 0 && !drops_exceeded && !waits_exceeded; }
};

/// Everything that is known of one comparison.
struct PairedResult {
  std::vector<Pair> pairs;  ///< of the attempt that counts, in order, dropped ones included
  /// Eager against itself between the pairs, in order: the side samples of each are two of eager's.
  std::vector<Pair> controls;
  PerSide<int> calls_per_side_sample = {1, 1};
  bool has_leading_call = false;  ///< before the timed ones of each side sample
  PairedSummary summary;
  /// What eager against itself was off by in this very measurement: |ratio - 1| of the controls'
  /// median. Nothing without controls that count.
  std::optional<double> noise_floor;
  Verdict verdict = Verdict::kUnstable;
  Unstable reason = Unstable::kNone;
  /// kSame: the ratio differs from 1 by no more than this; else 0.
  double same_within = 0;
  Stop stop = Stop::kTime;
  int analyses = 0;          ///< interim analyses that were made
  int planned_analyses = 0;  ///< over how many the error was split
  bool remeasured = false;
  double steal_share = 0;  ///< of all cores' time during the attempt; 0 if unknown
  /// What other programs and the hypervisor had of the cores' time from the beginning of the
  /// attempt to its last interim analysis; nothing if unknown.
  std::optional<double> others_share;
  int idle_timeouts = 0;  ///< side samples that began though other threads had not gone to sleep
  double clock_ns = 0;    ///< two readings of the clock, taken out of every timed call
  double elapsed_ns = 0;  ///< all attempts, without warm-up
};

}  // namespace graphnet::measure
