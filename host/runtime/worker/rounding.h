// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "base/result.h"
#include "verify/outcome_rule.h"
#include "worker/correctness.h"

namespace graphnet::worker {

/// How far each of eager's outputs moves when the floats that it reads, inputs and weights, are
/// off: the farthest of a few tries for one unit in the last place, and of a few for
/// verify::kRoundings units (halves stay as they are there). Zero for outputs that are no floats.
/// Inputs and weights are put back, to the bit.
///
/// shapes   eager, result: one per output
/// errors   of the device and of eager
base::Result<std::vector<verify::Movement>> rounding_of(const ComparedSample& compared,
                                                        const std::vector<KeptOutput>& eager);

}  // namespace graphnet::worker
