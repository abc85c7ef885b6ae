// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "measure/paired_settings.h"
#include "proof/regions.h"
#include "sample/arguments.h"
#include "sample/sample.h"
#include "worker/eager_side.h"
#include "worker/session_log.h"
#include "worker/task_device.h"
#include "worker/untimed_work.h"

namespace graphnet::worker {

// Phases of a session before any code of the plugin is here, in their order. Each gives what later
// ones need; an error: the sample ends in this phase, and the log says why.

/// Phase load: the device first, then the sample's files. Sends the record with what they say.
base::Result<std::unique_ptr<TaskDevice>> open_device(SessionLog& log, const OpenDevice& open,
                                                      proof::MapHistory& mappings);
base::Result<sample::Sample> load_files(SessionLog& log);

/// Phase plan: refuses a sample that does not fit before anything of its size is allocated.
base::Status plan_memory(SessionLog& log, const sample::Sample& sample, TaskDevice& device);

/// Phase inputs.
base::Result<std::vector<sample::Argument>> generate_inputs(SessionLog& log,
                                                            const sample::Sample& sample);

/// Phase eager, method `paired`: how pairs are timed.
base::Result<measure::PairedSettings> read_paired_settings(SessionLog& log);

/// Phase eager: the reference, not run yet, under the task's math policy.
base::Result<std::unique_ptr<EagerSide>> create_eager(SessionLog& log, const sample::Sample& sample,
                                                      std::vector<sample::Argument>& arguments,
                                                      TaskDevice& device);

/// The reference while no plugin is in the process.
struct EagerAlone {
  measure::Warmup warmup;
  HostSteps host_steps;
};

/// Phase eager, method `paired`: first call and warm-up, after which the inputs are the sample's
/// own again. The first call's outputs are kept; sends the record.
base::Result<EagerAlone> warm_up_eager(SessionLog& log, const measure::PairedSettings& settings,
                                       const sample::Sample& sample, EagerSide& eager,
                                       proof::MapHistory& mappings);
/// Phase eager, method `upstream`: all timed calls, else the same.
base::Status measure_eager(SessionLog& log, EagerSide& eager, proof::MapHistory& mappings);

}  // namespace graphnet::worker
