// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/memory.h"
#include "config/resolve_backend.h"
#include "journal/finished_tasks.h"
#include "journal/worker_message.h"

namespace graphnet::supervise {

/// A sample to run; the name is what records and tables show.
struct PlannedSample {
  std::string path;
  std::string name;  ///< "<family>/<model>"
  std::string family;
  std::string content_sha256 = {};  ///< as Record::sample_sha256; empty if it cannot be read
  std::string category = {};        ///< as Record::category
  std::string device = {};  ///< that it runs on, with each backend; empty: each config's own
  /// Share of a sweep's time as far as the files tell, for shards; no unit.
  double cost = 0;
};

/// One sample with one backend.
struct PlannedTask {
  journal::Task task;
  PlannedSample sample;
  /// Of the plugin's library; an empty stamp is not checked.
  config::LibraryIdentity library;
  /// Why the plugin cannot be used: then the task is recorded as plugin_failed without a worker.
  base::Status refusal;
  std::map<std::string, config::TimeLimit> limits;  ///< by phase
  int compile_threads = 0;                          ///< as in config::RunConfig
  bool may_use_group = true;                        ///< limits.memory_by is `auto`
  std::string key;                                  ///< journal::task_key()
  int attempt = 1;                                  ///< for Record::attempt
  std::string graphnet;                             ///< for Record::graphnet
};

/// What all tasks of a run share.
struct PlanSettings {
  std::string run_id;
  int auto_threads = 1;  ///< for `threads: auto`
  /// For `limits.memory: auto`; 0: unknown, then there is no limit.
  std::uint64_t free_memory_bytes = base::available_memory_bytes();
  bool digest = false;
  std::filesystem::path artifact_cache;  ///< as Task::artifact_cache
  std::filesystem::path dump_folder;  ///< holds a folder for each sample and backend; empty: none
  std::filesystem::path kept_folder;  ///< where outputs are kept; empty: nowhere
  std::filesystem::path reference_folder;  ///< of kept outputs to compare with; empty: none
  std::string graphnet;                    ///< version of the host
  std::string hardware;                    ///< of this machine, for the tasks' keys
  /// Flags that repeat the run besides sample and config, for Record::command.
  std::vector<std::string> repeat_flags;
};

/// Every sample with every backend.
///
/// order    samples outermost, so that the results of one sample stand together and were taken
///          under like conditions
std::vector<PlannedTask> make_plan(const std::vector<PlannedSample>& samples,
                                   const std::vector<config::Backend>& backends,
                                   const PlanSettings& settings);

/// Which tasks of a results file are run again.
enum class Retry {
  kUntried,  ///< those that are open, see record::leaves_open()
  kFailed,   ///< and those whose outcome is not `ok`
};

/// Removes the tasks that a results file holds, and numbers the attempts of those it holds but
/// which are run again. Returns how many were removed.
std::size_t drop_done(std::vector<PlannedTask>& plan, const journal::FinishedTasks& finished,
                      Retry retry);

/// A plugin's library must be what the plan was made with: records carry the hash taken then.
///
/// errors   kPlugin: it changed since
base::Status check_library(const PlannedTask& planned);

}  // namespace graphnet::supervise
