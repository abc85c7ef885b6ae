// SPDX-License-Identifier: MIT
#include "supervise/task_run.h"

#include "supervise/classify.h"
#include "supervise/control.h"
#include "supervise/worker_program.h"

namespace graphnet::supervise {

using base::Code;
using base::Result;
using base::Status;

TaskEnd end_of(const PlannedTask& planned, const WorkerEnd& worker) {
  TaskEnd end;
  if (worker.stop == WorkerEnd::Stop::kInterrupt && !worker.is_final) return end;
  end.did_not_start = never_began(worker);
  end.did_begin = !end.did_not_start;
  end.record = classify(planned, worker);
  return end;
}

Result<TaskEnd> run_task(const PlannedTask& planned, const WorkerSettings& settings,
                         Interrupt& interrupt, SweepObserver& observer) {
  if (!planned.refusal.is_ok()) {
    observer.on_begin(planned);
    TaskEnd end;
    end.record = refused_record(planned);
    return end;
  }
  GN_RETURN_IF_ERROR(check_library(planned));
  observer.on_begin(planned);
  GN_ASSIGN_OR_RETURN(const WorkerEnd worker, run_worker(planned, settings, interrupt, observer));
  return end_of(planned, worker);
}

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

bool is_control_due(std::size_t index, const PlannedTask& planned, const WorkerSettings& settings) {
  return index % kSamplesPerControl == 0 && planned.task.method == "paired" &&
         planned.refusal.is_ok() && !settings.control_sample.empty();
}

Status measure_control(const PlannedTask& planned, const WorkerSettings& settings,
                       Interrupt& interrupt, journal::JournalFile& journal,
                       SweepObserver& observer) {
  const PlannedTask task = make_control_task(planned, settings.control_sample);
  observer.on_begin(task);
  const Result<journal::Control> control = run_control(task, settings, interrupt, observer);
  if (interrupt.signal() != 0) return Status::ok();
  if (control.is_ok()) GN_RETURN_IF_ERROR(journal.append(*control));
  observer.on_control(control);
  return Status::ok();
}

Status worker_does_not_start(const WorkerSettings& settings, const record::Record& record) {
  Status error(Code::kEnvironment,
               "the program that runs samples does not start: " + record.message);
  error.add_context(settings.executable.string());
  if (!record.output_tail.empty()) error.add_context("its output: " + record.output_tail);
  add_torch_hint(record.output_tail, error);
  return error;
}

}  // namespace graphnet::supervise
