// SPDX-License-Identifier: MIT
#include "supervise/sweep.h"

#include "supervise/task_run.h"

namespace graphnet::supervise {

using base::Result;

Result<SweepEnd> run_sweep(const std::vector<PlannedTask>& plan, const WorkerSettings& settings,
                           Interrupt& interrupt, journal::JournalFile& journal,
                           SweepObserver& observer) {
  SweepEnd end;
  bool any_began = false;
  for (const PlannedTask& planned : plan) {
    interrupt.read();
    if (interrupt.signal() != 0) break;
    if (is_control_due(end.num_done, planned, settings)) {
      GN_RETURN_IF_ERROR(measure_control(planned, settings, interrupt, journal, observer));
    }
    if (interrupt.signal() != 0) break;
    GN_ASSIGN_OR_RETURN(const TaskEnd task, run_task(planned, settings, interrupt, observer));
    if (!task.record) break;
    any_began = any_began || task.did_begin;
    if (task.did_not_start && !any_began) return worker_does_not_start(settings, *task.record);
    GN_RETURN_IF_ERROR(journal.append(*task.record));
    ++end.num_done;
    if (!observer.on_record(*task.record)) break;
  }
  end.num_left = plan.size() - end.num_done;
  end.signal = interrupt.signal();
  return end;
}

}  // namespace graphnet::supervise
