// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "base/result.h"
#include "measure/instruments.h"
#include "measure/paired_result.h"
#include "measure/paired_settings.h"
#include "measure/side_calls.h"

namespace graphnet::measure {

/// Number of the leading call of a side sample, which is not clocked; the clocked ones count from
/// 0.
inline constexpr int kLeadingCall = -1;

/// A pair that is about to be measured.
struct PairPlan {
  int index = 0;  ///< of the pair; counts on in a second attempt
  int calls = 1;  ///< that are clocked, in each side sample
  bool backend_first = false;
  bool has_leading_call = false;  ///< on both sides, before the timed ones
  bool is_control = false;        ///< both side samples are eager's
};

/// What the caller does between the clocks; each may be empty.
///
/// order    before_pair; then for the side that is drawn first, and again for the other: wait for
///          sleep; for each call, the leading one first: prepare, before_call, (clock: call),
///          after_call; then after_side_sample. Between before_call and the clock there is nothing
///          but the flush of cache mode `cold` and the reading of the counters, between clock and
///          after_call nothing at all.
/// errors   end the measurement and are handed on
struct PairedHooks {
  std::function<base::Status(const PairPlan& plan)> before_pair;
  /// For instance gives the inputs other content.
  std::function<base::Status(Side side, int pair, int call)> before_call;
  /// For instance copies outputs before anything else is looked at.
  std::function<base::Status(Side side, int pair, int call)> after_call;
  /// For instance compares what was copied.
  std::function<base::Status(Side side, int pair)> after_side_sample;
};

/// First call and warm-up calls of one side. With several threads a warm-up call begins as a side
/// sample does: when other threads sleep, and a short one behind a call that counts for nothing.
///
/// errors   the first failing function's status, with the call as context
base::Result<Warmup> warm_up(const SideCalls& side, const PairedSettings& settings,
                             const Instruments& instruments);

/// Protocol `paired`; see protocol.h for what the numbers include.
///
/// order    both sides are warm; the pairs follow at once
/// errors   the first failing function's status, with pair and side as context; noise is none
base::Result<PairedResult> time_paired(const PerSide<SideCalls>& sides,
                                       const PerSide<Warmup>& warmups, const PairedHooks& hooks,
                                       const PairedSettings& settings,
                                       const Instruments& instruments);

}  // namespace graphnet::measure
