// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "journal/worker_message.h"
#include "measure/core_binding.h"
#include "measure/family_clock.h"
#include "measure/fork_log.h"
#include "measure/paired_settings.h"
#include "measure/process_family.h"
#include "proof/regions.h"
#include "sample/arguments.h"
#include "sample/sample.h"
#include "worker/eager_standby.h"
#include "worker/task_device.h"
#include "worker/timing_watch.h"

namespace graphnet::worker {

/// Cores and processes of one session, the same for both sides.
struct Machine {
  measure::CoreBinding cores;
  /// What is here when the session begins does not belong to it.
  measure::ProcessFamily family{own_mark()};
  /// Method `paired`, where the kernel has such a clock.
  std::optional<measure::FamilyClock> clock;
  std::optional<measure::ForkLog> forks;  ///< the same
  bool has_affinity = false;              ///< the protocol binds threads to cores
  std::int64_t available_bytes = 0;       ///< of memory, before the plugin was loaded

  /// Binds all threads to so many cores, if the protocol asks for that.
  void bind(int count) {
    if (has_affinity) cores.bind(count);
  }
};

/// Method `paired`: binds to cores, forks the copy of this process that knows no plugin (null for a
/// device, and where it cannot be made), and opens the clock and the log of processes behind it,
/// which then do not count the copy.
///
/// order    after the arguments, before libtorch has threads
std::unique_ptr<EagerStandby> prepare_machine(
    const journal::Task& task, const measure::PairedSettings& settings, const TaskDevice& device,
    const sample::Sample& sample, std::vector<sample::Argument>& arguments, Machine& machine);

/// Notes for the proof what is mapped now; nothing if the task wants no such proof.
void note_mappings(const journal::Task& task, const char* epoch, proof::MapHistory& mappings);

}  // namespace graphnet::worker
