// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>

#include "journal/journal_file.h"
#include "supervise/run_plan.h"
#include "supervise/sweep.h"
#include "supervise/worker_process.h"

namespace graphnet::supervise {

/// What became of one task of a sweep.
struct TaskEnd {
  std::optional<record::Record> record;  ///< none if an interrupt stopped it
  bool did_begin = false;                ///< the worker entered a phase
  bool did_not_start = false;            ///< it ended before its first phase
};

/// Judges how the worker of a task ended.
TaskEnd end_of(const PlannedTask& planned, const WorkerEnd& worker);

/// Runs one task; one whose plugin was refused gets its record without a worker.
///
/// errors   kPlugin: the plugin's library changed since the plan was made, and records carry the
///          hash taken then; kEnvironment: the worker cannot be started
base::Result<TaskEnd> run_task(const PlannedTask& planned, const WorkerSettings& settings,
                               Interrupt& interrupt, SweepObserver& observer);

/// errors   kPlugin as run_task()
base::Status check_library(const PlannedTask& planned);

/// Whether a control measurement (control.h) comes before the task that is number `index` of a
/// sweep.
bool is_control_due(std::size_t index, const PlannedTask& planned, const WorkerSettings& settings);

/// Makes one. A control that fails costs the noise floor, not the run.
///
/// errors   kEnvironment: the journal cannot be written
base::Status measure_control(const PlannedTask& planned, const WorkerSettings& settings,
                             Interrupt& interrupt, journal::JournalFile& journal,
                             SweepObserver& observer);

/// The error of a sweep whose very first worker ended before its first phase.
base::Status worker_does_not_start(const WorkerSettings& settings, const record::Record& record);

}  // namespace graphnet::supervise
