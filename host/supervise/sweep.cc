// SPDX-License-Identifier: MIT
#include "supervise/sweep.h"

#include <optional>

#include "supervise/classify.h"
#include "supervise/control.h"

namespace graphnet::supervise {

using base::Code;
using base::Result;
using base::Status;

namespace {

Status worker_does_not_start(const WorkerSettings& settings, const journal::Record& record) {
  Status error(Code::kEnvironment,
               "the program that runs samples does not start: " + record.message);
  error.add_context(settings.executable.string());
  if (!record.output_tail.empty()) error.add_context("its output: " + record.output_tail);
  return error;
}

/// Records carry the hash taken when the plan was made; after a rebuild it would be a lie.
Status check_library(const PlannedTask& planned) {
  if (planned.library.stamp.empty() ||
      planned.library.stamp == config::file_stamp(planned.task.plugin_library)) {
    return Status::ok();
  }
  return Status(Code::kPlugin, "the library of plugin '" + planned.task.plugin_name +
                                   "' changed while the run was going on")
      .add_context(planned.task.plugin_library)
      .add_hint(
          "start the run again; --resume with the same results file repeats what the new "
          "library has not run");
}

/// What became of one task; nothing if an interrupt stopped it.
struct TaskEnd {
  std::optional<journal::Record> record;
  bool did_begin = false;      ///< the worker entered a phase
  bool did_not_start = false;  ///< it ended before its first phase
};

Result<TaskEnd> run_task(const PlannedTask& planned, const WorkerSettings& settings,
                         Interrupt& interrupt, SweepObserver& observer) {
  TaskEnd end;
  if (!planned.refusal.is_ok()) {
    observer.on_begin(planned);
    end.record = refused_record(planned);
    return end;
  }
  GN_RETURN_IF_ERROR(check_library(planned));
  observer.on_begin(planned);
  GN_ASSIGN_OR_RETURN(const WorkerEnd worker, run_worker(planned, settings, interrupt, observer));
  if (worker.stop == WorkerEnd::Stop::kInterrupt && !worker.is_final) return end;
  end.did_not_start = never_began(worker);
  end.did_begin = !end.did_not_start;
  end.record = classify(planned, worker);
  return end;
}

/// A control that fails costs the noise floor, not the run.
Status control_if_due(std::size_t index, const PlannedTask& planned, const WorkerSettings& settings,
                      Interrupt& interrupt, journal::JournalFile& journal,
                      SweepObserver& observer) {
  const bool is_due =
      index % kSamplesPerControl == 0 && planned.task.method == "paired" && planned.refusal.is_ok();
  if (!is_due || settings.control_sample.empty()) return Status::ok();
  const PlannedTask task = make_control_task(planned, settings.control_sample);
  observer.on_begin(task);
  const Result<journal::Control> control = run_control(task, settings, interrupt, observer);
  if (interrupt.signal() != 0) return Status::ok();
  if (control.is_ok()) GN_RETURN_IF_ERROR(journal.append(*control));
  observer.on_control(control);
  return Status::ok();
}

}  // namespace

Result<SweepEnd> run_sweep(const std::vector<PlannedTask>& plan, const WorkerSettings& settings,
                           Interrupt& interrupt, journal::JournalFile& journal,
                           SweepObserver& observer) {
  SweepEnd end;
  bool any_began = false;
  for (const PlannedTask& planned : plan) {
    interrupt.read();
    if (interrupt.signal() != 0) break;
    GN_RETURN_IF_ERROR(
        control_if_due(end.num_done, planned, settings, interrupt, journal, observer));
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
