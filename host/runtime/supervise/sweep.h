// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "journal/journal_file.h"
#include "supervise/interrupt.h"
#include "supervise/run_plan.h"
#include "supervise/worker_run.h"

namespace graphnet::supervise {

/// Told what happens in a sweep.
class SweepObserver : public WorkerObserver {
 public:
  virtual void on_begin(const PlannedTask& planned) = 0;
  /// With more than one slot: what follows is about this task, which has begun.
  virtual void on_turn(const PlannedTask& /*planned*/) {}
  /// A control measurement is on disk, or why it gave nothing.
  virtual void on_control(const base::Result<journal::Control>& /*control*/) {}
  /// The record is on disk. False ends the sweep (nobody reads the results any more).
  virtual bool on_record(const record::Record& record) = 0;
};

/// How far a sweep came.
struct SweepEnd {
  std::size_t num_done = 0;
  std::size_t num_left = 0;  ///< not run, or stopped by a signal: no record
  int signal = 0;            ///< that interrupted it; 0: none
};

/// Runs a plan. Each slot runs one worker at a time, with a process that forks, a control group and
/// a mark of its own; with one slot the samples run one after the other.
///
/// Order: samples begin in the order of the plan, in which a slot with a device of its own
/// (WorkerSettings::device) passes over the tasks of other devices; and each record is on disk
/// before its slot takes the next one; so records lie in the order in which samples finish. A
/// control measurement (control.h) comes before the first sample and every fifty samples of
/// protocol `paired`, while nothing else runs.
///
/// With several slots, workers ask for leave before some phases (WorkerSettings::share_machine).
/// Memory: a worker that asks before it takes what its sample needs waits until that fits beside
/// the others (memory_budget.h). One that the kernel kills for lack of memory beside co-running
/// workers is run again alone, and leaves no record of the first try. Times: a worker that asks
/// before a phase that takes times (record::PhaseFacts::takes_times) gets leave when every other
/// one is paused: nothing else of the run executes until the phase is over. The time limits of the
/// others are paused too, and their pauses are taken out of their durations (WorkerEnd::paused).
/// What left its worker's process group is not paused.
///
/// After an interrupt no further sample starts. An interrupt that lets a sample finish lets all
/// running samples finish. A sample that an interrupt stops (interrupt.h) gets no record, so that a
/// later run repeats it.
///
/// errors   kPlugin: a plugin's library changed since the plan was made; kEnvironment: a worker
///          cannot be started, or the very first one ends before its first phase (then every other
///          would), or the journal cannot be written; finished records are on disk in each case
base::Result<SweepEnd> run_sweep(const std::vector<PlannedTask>& plan,
                                 const std::vector<WorkerSettings>& slots, Interrupt& interrupt,
                                 journal::JournalFile& journal, SweepObserver& observer);

}  // namespace graphnet::supervise
