// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "supervise/sweep.h"

namespace graphnet::supervise {

/// Runs a plan as run_sweep() does, but with as many workers at a time as there are `places`, each
/// with a process that forks, a control group and a mark of its own.
///
/// Samples are begun in the order of the plan, and each record is on disk before its place takes
/// the next one; so records lie in the order in which samples finish.
///
/// Memory: before a worker takes what its sample needs it asks, and waits until that fits beside
/// the others (memory_budget.h). One that the kernel kills for lack of memory while it has company
/// is run again alone, and leaves no record of the first try.
///
/// Times: before a phase that takes times (record::PhaseFacts::takes_times) a worker asks, and gets
/// leave when every other one stands still: nothing else of the run executes until the phase is
/// over. Their time limits stand still too, and what they were held is taken out of their durations
/// (WorkerEnd::held). What left its worker's process group is not stopped. A control measurement
/// waits until there is no worker at all.
///
/// An interrupt that lets a sample finish lets all that run finish.
///
/// errors   as run_sweep()
base::Result<SweepEnd> run_packed_sweep(const std::vector<PlannedTask>& plan,
                                        const std::vector<WorkerSettings>& places,
                                        Interrupt& interrupt, journal::JournalFile& journal,
                                        SweepObserver& observer);

}  // namespace graphnet::supervise
