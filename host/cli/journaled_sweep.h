// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "cli/command.h"
#include "config/resolve_backend.h"
#include "supervise/sweep.h"

namespace graphnet::cli {

/// Everything decided before the first worker starts.
struct PreparedRun {
  std::vector<config::Backend> backends;
  std::vector<supervise::PlannedSample> samples;
  std::vector<supervise::PlannedTask> plan;
  std::string run_id;
  std::filesystem::path results;
  std::size_t num_already_done = 0;
  bool forks_workers = true;         ///< else each is a fresh process
  int jobs = 1;                      ///< samples at a time
  std::vector<std::string> devices;  ///< one of each job; empty: any
  bool continues_itself = false;     ///< as in RunOptions
  std::vector<std::string> notes;    ///< for the summary
};

/// What every plan of this program and machine has in common; the rest is the command's.
supervise::PlanSettings plan_settings(const std::string& run_id);

/// "results/<run id>.jsonl", used if the user names no file.
std::filesystem::path default_results(const std::string& run_id);

/// A run about to start: worker found, signals caught, results file open.
class JournaledSweep {
 public:
  /// errors   kEnvironment, or kInput if the results file is none; nothing was measured
  static base::Result<JournaledSweep> open(const Context& context, const PreparedRun& run);

  /// Runs the plan once; see supervise::run_sweep().
  base::Result<supervise::SweepEnd> run(supervise::SweepObserver& observer);

  /// The machine, as in records.
  const base::Json& environment() const { return environment_; }
  /// Name of the processor, empty if unknown.
  std::string hardware() const { return environment_.value("cpu_model", ""); }

 private:
  JournaledSweep(const PreparedRun& run, std::vector<supervise::WorkerSettings> slots,
                 supervise::Interrupt interrupt, journal::JournalFile journal,
                 base::Json environment);

  const PreparedRun& run_;
  supervise::Interrupt interrupt_;  // goes last: ending the processes of the slots takes a moment
  std::vector<supervise::WorkerSettings> slots_;  // one for each job
  journal::JournalFile journal_;
  base::Json environment_;
};

}  // namespace graphnet::cli
