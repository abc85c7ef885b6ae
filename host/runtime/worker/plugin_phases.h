// SPDX-License-Identifier: MIT
#pragma once

#include <memory>

#include "base/result.h"
#include "measure/paired_settings.h"
#include "proof/regions.h"
#include "sample/sample.h"
#include "worker/correctness.h"
#include "worker/session_log.h"
#include "worker/session_machine.h"
#include "worker/task_device.h"
#include "worker/timing_watch.h"

namespace graphnet::worker {

// Phases of a session from the plugin's file to what its outputs are worth, in their order. An
// error: the sample ends in this phase, and the log says why.

/// Phase compile: the plugin's side, of which nothing is loaded yet. The log, the sample and eager
/// are borrowed.
std::unique_ptr<PluginSide> make_plugin_side(SessionLog& log, const sample::Sample& sample,
                                             EagerSide& eager);
/// Phase compile: opens the plugin and compiles. Gives libtorch's settings from right before.
base::Result<SettingsWatch> compile_plugin(SessionLog& log, const EagerSide& eager,
                                           PluginSide& plugin, Machine& machine,
                                           proof::MapHistory& mappings);

/// Phase bind.
base::Status bind_weights(SessionLog& log, PluginSide& plugin, proof::MapHistory& mappings);

/// Phase run, method `paired`: first call and warm-up, after which the inputs are the sample's own
/// again. The first call's outputs are kept. `engine_settings`: from compile_plugin().
base::Result<measure::Warmup> warm_up_plugin(SessionLog& log, const ComparedSample& compared,
                                             const measure::PairedSettings& settings,
                                             const SettingsWatch& engine_settings,
                                             Machine& machine);
/// Phase run, method `upstream`: all timed calls, and the speedup.
base::Status measure_plugin(SessionLog& log, const ComparedSample& compared,
                            const SettingsWatch& engine_settings, Machine& machine);

/// Phase compare: the outcome. Sends the record.
void compare_first_outputs(SessionLog& log, const ComparedSample& compared);

/// Phase second_weights, method `paired`: whether second weights and another seed's inputs show
/// that the plugin is wrong. Both sides are warm again at the end, on the first weights.
/// `settings`: of the pairs that come later; `call_ns`: one call as in the warm-up.
///
/// units    call_ns in nanoseconds
/// order    the outcome is ok
base::Status follow_inputs(SessionLog& log, const ComparedSample& compared,
                           const measure::PairedSettings& settings,
                           const measure::PerSide<double>& call_ns, TaskDevice& device,
                           Machine& machine);

}  // namespace graphnet::worker
