// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <vector>

namespace graphnet::supervise {

/// Processes that a worker left behind: children of its own that went into another group or
/// session, and theirs. Killing the worker's group does not reach them; without an owner they would
/// go on using cores and memory during the measurements of the next sample.
///
/// While one of these lives, this process adopts such orphans (PR_SET_CHILD_SUBREAPER), so that
/// they are its children and nobody else's.
///
/// order    adopt() before the worker is given its task, kill() after it has been waited for; no
///          other code of this process may start children in between
class StrayProcesses {
 public:
  static StrayProcesses adopt();

  /// Kills and reaps every child that was not there at adopt(), and what those leave, until none is
  /// left or, against one that forks faster than it can be killed, a bound is reached. Returns how
  /// many there were.
  int kill() const;

 private:
  explicit StrayProcesses(std::vector<pid_t> known) : known_(std::move(known)) {}
  std::vector<pid_t> known_;
};

}  // namespace graphnet::supervise
