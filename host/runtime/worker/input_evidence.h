// SPDX-License-Identifier: MIT
#pragma once

#include "journal/worker_message.h"
#include "record/record.h"
#include "worker/correctness.h"
#include "worker/second_timing.h"

namespace graphnet::worker {

/// Finds out whether the plugin computes from its inputs and weights, before the calls whose times
/// count:
///
/// | record                   | means                                                          |
/// |--------------------------|----------------------------------------------------------------|
/// | checks `other_inputs`    | the outcome rule on another seed's inputs                       |
/// | checks `sensitivity`     | how far eager's outputs change with that seed, and how much of  |
/// |                          | that the plugin's leave out (sensitivity.h); only               |
/// |                          | {"seed", "varied": false} if no input changes with the seed     |
/// | checks `second_weights`  | the outcome rule on other weights (second_weights.h)            |
/// | flag `stale_output`      | the plugin's outputs stay where eager's change                  |
/// | flag `wrong_output`      | they change otherwise, and no other rule accepts them           |
/// | flag `other_seed`        | they change as eager's do, and are wrong                        |
/// | flag `unvaried`          | neither these inputs nor second weights show that the plugin    |
/// |                          | follows its inputs: a stored result would have passed; or the   |
/// |                          | plugin leaves no memory for second weights                      |
///
/// Does nothing unless the record's outcome is ok. Returns whether it is still ok.
///
/// order    before everything that is timed (second_weights.h says why)
bool check_evidence_of_inputs(const ComparedSample& compared, const journal::Task& task,
                              const SecondTimingMeans& means, record::Record& record);

}  // namespace graphnet::worker
