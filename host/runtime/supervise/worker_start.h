// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/file.h"
#include "base/result.h"
#include "base/subprocess.h"
#include "supervise/worker_process.h"

namespace graphnet::supervise {

/// What holds a worker's memory limit.
enum class MemoryHolder { kNone, kRlimit, kGroup };

/// A worker that has just been started, and the supervisor's ends of its channels.
struct StartedWorker {
  base::Subprocess process;
  base::UniqueFd control;
  base::UniqueFd output;
  bool was_forked = false;  ///< else a fresh process
  MemoryHolder holder = MemoryHolder::kNone;
};

/// Starts a worker, which waits for its task, and puts it under its memory limit unless it will set
/// that itself.
///
/// errors   kEnvironment
base::Result<StartedWorker> start_worker(const WorkerSettings& settings,
                                         const PlannedTask& planned);

}  // namespace graphnet::supervise
