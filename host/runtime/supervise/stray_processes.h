// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

namespace graphnet::supervise {

/// Processes that a worker left behind: children of its own that went into another group or
/// session, and theirs. Killing the worker's group does not reach them. They would use cores and
/// memory while the next sample is measured.
///
/// While one of these lives, this process adopts such orphans (PR_SET_CHILD_SUBREAPER), so that
/// they are its children and nobody else's.
///
/// Where several workers run, those of one are told from those of others by a variable in their
/// environment. A process without that variable is killed with the first worker that ends.
///
/// order    adopt() before the worker is given its task, kill() after it has been waited for; no
///          other code of this process may start children in between, but those named to kill()
class StrayProcesses {
 public:
  /// `mark`: "NAME=value", the worker's; empty: there are no others.
  static StrayProcesses adopt(std::string mark = "");

  /// Kills and reaps every child that was not there at adopt() and is not one of `others`, and what
  /// those leave, until none is left or, against one that forks faster than it can be killed, a
  /// bound is reached. Returns how many there were.
  int kill(const std::vector<pid_t>& others = {}) const;

 private:
  StrayProcesses(std::vector<pid_t> known, std::string mark)
      : known_(std::move(known)), mark_(std::move(mark)) {}
  std::vector<pid_t> strays(const std::vector<pid_t>& others) const;

  std::vector<pid_t> known_;
  std::string mark_;
};

}  // namespace graphnet::supervise
