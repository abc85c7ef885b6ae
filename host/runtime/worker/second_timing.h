// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "base/result.h"
#include "measure/instruments.h"
#include "measure/paired_settings.h"
#include "record/record.h"
#include "worker/correctness.h"
#include "worker/timed_checks.h"
#include "worker/timing_watch.h"

namespace graphnet::worker {

/// What a few pairs on second weights are timed with; all of it is the session's.
struct SecondTimingMeans {
  /// Those of the pairs that come later, whose cores and cache mode these have too.
  measure::PairedSettings settings;
  std::function<base::Result<measure::Instruments>(const measure::PairedSettings&)> instruments;
  /// Binds all threads to so many cores.
  std::function<void(int)> bind_cores;
  measure::PerSide<double> call_ns = {};  ///< one on the first weights, as in the warm-up
  std::int64_t available_bytes = 0;       ///< of memory, before the plugin was loaded
};

/// How it ended. With neither, the measurement is there or the record says why not.
struct SecondTimingEnd {
  TimedFindings findings;  ///< with a flag: the plugin is wrong, as in pairs that count
  base::Status failure;    ///< of a call; whose it is, PluginSide::failure() says
};

/// Calls that take longer are compared a second time on second weights before they are timed in
/// pairs, which would be half the cost of all checks. Shorter ones are, too, if one comparison says
/// that no pairs are needed.
inline constexpr double kLongCallNs = 50e6;

/// Takes speedup and times from the calls that were compared on second weights. True if that is
/// enough: for calls of 2 ms and more, if eager is not slower there than on the first weights and
/// the plugin as much faster. Of the plugin's the last one counts: it found everything cold in the
/// one before. Of eager's the shorter one counts: a busy machine lengthens single ones.
///
/// shapes   calls_ns: at least 1
/// units    calls_ns in nanoseconds
bool take_compared_calls(const std::vector<measure::PerSide<double>>& calls_ns,
                         const measure::PerSide<double>& first_weights_ns,
                         record::SecondWeights& found);

/// Speedup, interval and medians of pairs on second weights. Waits for a core are taken out of both
/// sides of every pair, where they cannot be told to the nanosecond too: so few pairs leave none to
/// drop. `unclear`, and quartiles in place of the interval, if more was taken out than the protocol
/// allows, or if the hypervisor took too much.
///
/// shapes   pairs: at least 1
void write_second_pairs(const std::vector<measure::Pair>& pairs,
                        const measure::PairedSettings& settings, record::SecondWeights& found);

/// True if an attempt must be repeated before it tells anything against the plugin: it is unclear,
/// or the speedup seems to be lost, or eager was so much slower than on first weights that the
/// speedup counts for less. A busy machine feigns that once, a plugin cannot help it.
bool is_doubtful(const record::SecondWeights& found,
                 const measure::PerSide<double>& first_weights_ns);

/// Of two attempts the one that speaks for the plugin: the clear one, else that whose speedup
/// counts for more. A plugin has to compute in both.
bool is_better(const record::SecondWeights& one, const record::SecondWeights& other,
               const measure::PerSide<double>& first_weights_ns);

/// Times both sides in pairs, while second weights are bound and known to be followed: a plugin
/// that is fast only on known results is slower here, because each pair has inputs of its own whose
/// results are not in memory. At least 5 pairs; then until the interval is narrow enough, for about
/// 200 ms; up to three times, each at a quieter moment, if the result is doubtful. `found` gets
/// what speaks most for the plugin. Where it would take more than ten seconds of eager's time, or
/// the later pairs will time launches of a captured call, it keeps what it has of the compared
/// calls, or gets `untimed`.
///
/// order    both sides have been called on these weights
SecondTimingEnd time_second_weights(const ComparedSample& compared, const SecondTimingMeans& means,
                                    record::SecondWeights& found);

/// The flag `tuned_to_weights`, from a record whose pairs are done: for a speedup that is 1.5 times
/// the one on second weights and more, if their intervals have nothing in common, or it is as much
/// more than all of that interval, and the plugin's own calls take longer there. Of the one on
/// second weights counts what eager at 1.4 times its time on the first weights would give, if it
/// took longer: in the pairs or before the plugin was loaded, whichever was longer. Eager alone may
/// be slower on the first weights: on subnormal numbers, of which it has few on second weights; a
/// record with the flag `denormal` is never accused. Nor is one whose speedup has no interval: that
/// is claimed nowhere. Nor one whose pairs on second weights are unclear.
std::vector<Finding> check_tuned_to_weights(const record::Record& record);

}  // namespace graphnet::worker
