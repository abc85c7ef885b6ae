// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "base/result.h"
#include "measure/instruments.h"
#include "measure/paired_result.h"
#include "measure/paired_settings.h"
#include "measure/side_calls.h"

namespace graphnet::measure {

/// What the caller does between the clocks; each may be empty.
///
/// order    before_pair; then for the side that is drawn first, and again for the other: wait for
///          sleep, prepare, settle call, prepare, before_half, flush, (clock: call), after_half
/// errors   end the measurement and are handed on
struct PairedHooks {
  /// For instance gives the inputs other content. Indices count on in a second attempt.
  std::function<base::Status(int pair)> before_pair;
  /// After the settle call, so that what is poisoned here can only be filled by the timed call.
  std::function<base::Status(Side side, int pair)> before_half;
  /// For instance checks the outputs of some timed calls.
  std::function<base::Status(Side side, int pair)> after_half;
};

/// First call and warm-up calls of one side.
///
/// errors   the first failing function's status, with its place as context
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
