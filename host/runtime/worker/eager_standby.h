// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <memory>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/math_policy.h"
#include "base/result.h"
#include "sample/arguments.h"
#include "sample/sample.h"

namespace graphnet::worker {

/// A copy of this process from before any code of a plugin was here, which can run the reference:
/// what it takes there and here are two measurements of the same thing, unless the plugin does
/// something to this process.
///
/// It is two processes. The guard is forked at once and sleeps; when a call is asked for
/// it forks the runner, which sets up an engine of its own. For each call the guard stops this
/// process with all its threads (SIGSTOP), so that nothing of it works beside the runner, and wakes
/// it whatever becomes of the runner. Both end with this process (PR_SET_PDEATHSIG).
///
/// It costs one fork (a millisecond and page tables) while it is not asked, and the first write to
/// each page that both have; no memory of its own. Asked, it costs what the reference costs: its
/// memory once more, one set-up and warm-up.
///
/// order    after phase inputs, before libtorch has threads, which a fork would lose
class EagerStandby {
 public:
  /// The arguments must not be given to an engine yet; the copy sees them as they are now.
  ///
  /// errors   null if this process has more threads than the caller's, or cannot fork
  static std::unique_ptr<EagerStandby> start(const sample::Sample& sample,
                                             std::vector<sample::Argument>& arguments,
                                             const base::MathPolicy& math);
  EagerStandby(const EagerStandby&) = delete;
  EagerStandby& operator=(const EagerStandby&) = delete;
  ~EagerStandby();

  pid_t pid() const { return pid_; }

  /// Time of one call there while this process is stopped; `settle`: after an untimed one. The
  /// first sets up and warms up.
  ///
  /// units    nanoseconds
  /// errors   kEnvironment: the runner is gone, or could not be made
  base::Result<double> time_call(bool settle);

 private:
  EagerStandby(pid_t pid, base::UniqueFd link) : pid_(pid), link_(std::move(link)) {}

  pid_t pid_;
  base::UniqueFd link_;
};

}  // namespace graphnet::worker
