// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "record/record.h"
#include "supervise/run_plan.h"
#include "supervise/worker_run.h"

namespace graphnet::supervise {

/// Turns the end of a worker into the record of its sample.
///
/// A final record stands as it is, whatever the process does afterwards (a crash at exit becomes a
/// note). Without one, the outcome depends on how the worker ended and on whose work was going on;
/// a plugin is blamed only from `compile` on, where its code runs:
///
/// | end                         | load ... inputs  | eager, or none   | compile ... compare |
/// |-----------------------------|------------------|------------------|---------------------|
/// | a signal of its own         | invalid_sample   | reference_failed | crashed             |
/// | SIGKILL by the kernel for   | reference_failed | reference_failed | out_of_memory       |
/// | lack of memory              |                  |                  |                     |
/// | SIGKILL by somebody else    | reference_failed | reference_failed | killed              |
/// | its own, memory used up     | invalid_sample   | reference_failed | out_of_memory       |
/// | time limit exceeded         | invalid_sample   | reference_failed | timed_out           |
/// | exited without final record | invalid_sample   | reference_failed | plugin_failed       |
/// | broken message              | reference_failed | reference_failed | plugin_failed       |
///
/// Why: in load, plan and inputs only the sample's files are worked on, so its content is the
/// suspect; a lack of memory there says that the sample does not fit this machine, not that it is
/// invalid. In `compare` the host's own code runs, but on buffers and in a process that the plugin
/// could write to. Where the kernel does not report whether it killed for lack of memory, lack of
/// memory is assumed. The last record that the worker sent holds the earlier measurements. In
/// `robustness` and `proof` the outcome is settled already: a death there is a note, in `proof`
/// also the verdict `unknown(killed in proof)` unless the calls had been traced by then.
record::Record classify(const PlannedTask& planned, const WorkerEnd& end);

/// The record of a task whose plugin was refused before any of its code ran (PlannedTask::refusal):
/// `plugin_failed`, or `unsupported` for what it does not offer, without a phase, with the
/// refusal's message, context and hints.
record::Record refused_record(const PlannedTask& planned);

/// True if no phase was entered: the worker itself does not start on this machine.
inline bool never_began(const WorkerEnd& end) {
  return end.phase.empty() && !end.record;
}

}  // namespace graphnet::supervise
