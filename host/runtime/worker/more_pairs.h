// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "measure/paired.h"
#include "worker/correctness.h"

namespace graphnet::worker {

/// So many pairs, or so many times, as a look at a doubtful result may take: 5 to 24, in 4 seconds.
int affordable_pairs(double pair_ns);

/// So many looks at more pairs must agree before somebody is accused.
inline constexpr int kLooksAtPairs = 3;

/// A few more pairs by the same steps as those that were timed: a machine may have been slow for as
/// long as these took. Nothing is compared in them. A plugin could notice the pause before them,
/// not the pairs themselves.
///
/// shapes   call_ns: medians of the timed ones
/// errors   as measure::time_paired()
base::Result<measure::PairedResult> time_more_pairs(const ComparedSample& compared,
                                                    const measure::PerSide<double>& call_ns,
                                                    const measure::PairedSettings& settings,
                                                    const measure::Instruments& instruments);

}  // namespace graphnet::worker
