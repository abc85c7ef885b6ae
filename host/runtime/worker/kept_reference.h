// SPDX-License-Identifier: MIT
#pragma once

#include "worker/correctness.h"
#include "worker/session_log.h"

namespace graphnet::worker {

/// Removes the outputs that an earlier run kept where this one is to. Call it first.
void forget_kept_outputs(SessionLog& log);

/// Keeps the outputs of both sides' first calls where Task::kept_file says. A failure is a member
/// of the record and no outcome. `plugin` may be null.
void keep_session_outputs(SessionLog& log, const sample::Sample& sample, const EagerSide& eager,
                          const PluginSide* plugin);

/// Compares the same outputs with those of Task::reference_file and writes Checks::reference. If
/// the session came to its end (`compared`), outputs that are not near are judged by the whole
/// outcome rule, each of the two in the place of eager once; else by the outputs alone. What the
/// plugin has not given is not compared.
///
/// order    the arguments are the sample's own; before the proof
void compare_with_reference(SessionLog& log, const EagerSide& eager, const PluginSide* plugin,
                            const ComparedSample* compared);

}  // namespace graphnet::worker
