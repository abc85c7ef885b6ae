// SPDX-License-Identifier: MIT
#pragma once

#include "base/status.h"
#include "measure/paired_settings.h"
#include "worker/correctness.h"
#include "worker/eager_standby.h"
#include "worker/reference_phases.h"
#include "worker/session_log.h"
#include "worker/session_machine.h"
#include "worker/task_device.h"
#include "worker/timing_watch.h"

namespace graphnet::worker {

/// What timed pairs need of the phases before; all of it is borrowed.
struct PairMeans {
  const ComparedSample& compared;
  const measure::PairedSettings& settings;
  const EagerAlone& eager;
  const measure::Warmup& plugin_warmup;
  const SettingsWatch& engine_settings;  ///< from before the plugin was loaded
  TaskDevice& device;
  Machine& machine;
  EagerStandby* standby;  ///< null if it could not be made
};

/// Phase time, method `paired`: the pairs, once a cache mode; then whether eager in them was as in
/// the standby, and what the times say of the plugin. With a protocol that replays, the plugin's
/// call is captured first. Sends the record.
///
/// errors   the sample ends here; the log says why
base::Status time_pairs(SessionLog& log, const PairMeans& means);

/// Phase time, method `upstream`: calls on other inputs, which its timed ones never had.
///
/// errors   as time_pairs()
base::Status check_sequential(SessionLog& log, const ComparedSample& compared, TaskDevice& device);

/// Phase robustness: inputs with other content. Those of another seed may change the outcome.
void try_other_content(SessionLog& log, const ComparedSample& compared);

}  // namespace graphnet::worker
