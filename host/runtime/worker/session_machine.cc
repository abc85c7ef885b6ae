// SPDX-License-Identifier: MIT
#include "worker/session_machine.h"

#include "base/memory_map.h"

namespace graphnet::worker {

std::unique_ptr<EagerStandby> prepare_machine(
    const journal::Task& task, const measure::PairedSettings& settings, const TaskDevice& device,
    const sample::Sample& sample, std::vector<sample::Argument>& arguments, Machine& machine) {
  machine.has_affinity = settings.affinity;
  machine.bind(task.threads);
  std::unique_ptr<EagerStandby> standby;
  if (!device.is_cuda()) {
    standby = EagerStandby::start(sample, arguments, task.math, task.threads);
  }
  if (standby) machine.family.exempt(standby->pid());
  machine.clock = measure::FamilyClock::open(settings.affinity ? machine.cores.other_cores()
                                                               : std::vector<int>());
  machine.forks = measure::ForkLog::open();
  return standby;
}

void note_mappings(const journal::Task& task, const char* epoch, proof::MapHistory& mappings) {
  if (task.proof != "full") return;
  const auto now = base::read_memory_map();
  if (now.is_ok()) mappings.note(epoch, *now);
}

}  // namespace graphnet::worker
