// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/json.h"
#include "measure/paired.h"
#include "worker/correctness.h"
#include "worker/eager_standby.h"
#include "worker/plugin_side.h"
#include "worker/timing_watch.h"

namespace graphnet::worker {

/// A call of eager before the plugin was loaded, and in the timed pairs. Waits are taken out of
/// both (measure::unwaited_ns): a busy machine is no suspicion and hides none.
///
/// units    nanoseconds, medians
struct EagerTimes {
  double before_ns = 0;
  double in_pairs_ns = 0;

  double slowdown() const { return in_pairs_ns / before_ns; }
};

/// From eager's warm-up, and from the pairs (measure::larger_median).
EagerTimes eager_times(const measure::Warmup& warmup, const std::vector<measure::Pair>& pairs);

/// Whether eager in the pairs was so much slower than before the plugin was loaded that the cause
/// must be found: by more than 10 %, and by more than the width of the ratio's interval or 1.4
/// times, since a plugin can make an interval wide. Caches that the plugin filled and a slower
/// machine have this effect too.
bool is_suspicious(const EagerTimes& times, const measure::PairedSummary& summary);

/// Decides from ratios of eager's time here by its time there, of neighbouring calls: slower if the
/// whole interval (99 %) is above 10 %, less than which is not suspicious either, and if the copy
/// explains half of `slowdown` and more, eager's time in the pairs by that before the plugin was
/// loaded. The rest is drift of the machine, which slows the copy too.
///
/// shapes   log_ratios: at least 5
/// units    slowdown: a factor; half of it is its square root
bool is_slower(const std::vector<double>& log_ratios, double slowdown);

/// True if no further ratios, up to `num_pairs` of them, can make is_slower() true: more than half
/// of all are too small.
bool is_settled(const std::vector<double>& log_ratios, int num_pairs);

/// Whether eager in the pairs was so much slower than in all calls before and after them that the
/// machine's drift does not explain it: by more than 1.4 times.
///
/// units    nanoseconds
bool was_slower_in_pairs(double in_pairs_ns, double quiet_ns);

/// Whether the plugin is faster than eager in the pairs alone: its calls take as long as eager's
/// before and after them. Where memory lies can do that to either side of one program.
///
/// units    nanoseconds
bool is_faster_in_pairs_only(const measure::PairedSummary& summary, double quiet_ns);

/// What a slowed eager is confirmed with.
struct SlowedMeans {
  const ComparedSample& compared;
  /// Null if it could not be made, before any plugin was there: a larger factor is asked for then.
  EagerStandby* standby;
  const measure::PairedResult& pairs;  ///< the timed ones
  const measure::PairedSettings& settings;
  const measure::Instruments& instruments;  ///< those of the pairs
};

/// Compares eager here with eager in the copy, call by call, each after a call of the plugin here
/// and a short sleep, so that caches are alike, both have just been woken and the plugin's work
/// between its calls continues. Calls here have inputs of their own, as in the pairs: a plugin
/// would know the sample's. This process waits while the copy works. It takes a few seconds, or
/// less if the result is clear before.
///
/// The times of the pairs are compared with those of the copy too, if they have an interval,
/// without which nothing is claimed: a plugin may recognise these calls and leave eager alone
/// meanwhile.
///
/// Nobody is accused by one look: the comparison that says slower is made again at a quieter
/// moment, and where only the pairs were slower, a few more pairs must be so, three times, and the
/// copy fast after each. If they are not, the timed ones are not believed either: this process is
/// stopped for each call of the copy, which tells a plugin that the pairs are over. Without a copy,
/// as on a device, being slower in the pairs is all that is known.
///
/// | flag           | means                                                              |
/// |----------------|--------------------------------------------------------------------|
/// | `eager_slowed` | the reference is slower in the process where the plugin was loaded,|
/// |                | or was so in the timed pairs; or the copy has ended, which the     |
/// |                | plugin may have done                                               |
///
/// shapes   report: what was found, {"here_ns", "there_ns", "ratio", "pairs"} of the comparison
/// that
///          decided, "rounds", "in_more_pairs_ns", or why nothing was
SecondLook confirm_slowed(const SlowedMeans& means, const EagerTimes& times, base::Json& report);

}  // namespace graphnet::worker
