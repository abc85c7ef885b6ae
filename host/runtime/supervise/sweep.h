// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "journal/journal_file.h"
#include "supervise/interrupt.h"
#include "supervise/run_plan.h"
#include "supervise/worker_process.h"

namespace graphnet::supervise {

/// Told what happens in a sweep.
class SweepObserver : public WorkerObserver {
 public:
  virtual void on_begin(const PlannedTask& planned) = 0;
  /// Where several run at a time: what follows is about this task, which has begun.
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

/// Runs a plan, one worker at a time, with a control measurement (control.h) before the first
/// sample and every fifty samples of protocol `paired`, and appends each record to the journal
/// before the next starts. After an interrupt nothing more starts; a sample that it stops
/// (interrupt.h) gets no record, so that a later run repeats it.
///
/// errors   kPlugin: a plugin's library changed since the plan was made; kEnvironment: a worker
/// cannot be started, or the very first one ends before its first
///          phase (then every other would), or the journal cannot be written; finished records are
///          on disk in each case
base::Result<SweepEnd> run_sweep(const std::vector<PlannedTask>& plan,
                                 const WorkerSettings& settings, Interrupt& interrupt,
                                 journal::JournalFile& journal, SweepObserver& observer);

}  // namespace graphnet::supervise
