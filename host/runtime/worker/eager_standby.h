// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/math_policy.h"
#include "base/result.h"
#include "measure/clocked_call.h"
#include "sample/arguments.h"
#include "sample/sample.h"

namespace graphnet::worker {

/// A copy of this process from before any code of a plugin was loaded. It can run the reference:
/// its time there and its time here agree, unless the plugin slows this process.
///
/// It is two processes. The guard is forked at once and sleeps; when a call is asked for it forks
/// the runner, which sets up an engine of its own. For each call the guard stops this process with
/// all its threads (SIGSTOP), so that none of them runs beside the runner. It wakes this process
/// also if the runner fails. Both end with this process (PR_SET_PDEATHSIG).
///
/// Until it is used it costs one fork (a millisecond and page tables) and the first write to each
/// shared page, but no memory of its own. A use costs as much as the reference: its memory once
/// more, one set-up and one warm-up.
///
/// order    after phase inputs, before libtorch has threads, which a fork would lose
class EagerStandby {
 public:
  /// The arguments must not be given to an engine yet; the copy sees them as they are now.
  ///
  /// threads  of eager's
  /// errors   null if this process has more threads than the caller's, or cannot fork
  static std::unique_ptr<EagerStandby> start(const sample::Sample& sample,
                                             std::vector<sample::Argument>& arguments,
                                             const base::MathPolicy& math, int threads);
  EagerStandby(const EagerStandby&) = delete;
  EagerStandby& operator=(const EagerStandby&) = delete;
  ~EagerStandby();

  pid_t pid() const { return pid_; }

  /// Times of one call there while this process is stopped, on inputs of its own; `settle`: after
  /// an untimed one. The first sets up and warms up.
  ///
  /// errors   kEnvironment: the runner is gone, or could not be made
  base::Result<measure::SteppedCall> time_call(bool settle);

 private:
  EagerStandby(pid_t pid, base::UniqueFd link) : pid_(pid), link_(std::move(link)) {}

  pid_t pid_;
  base::UniqueFd link_;
};

}  // namespace graphnet::worker
