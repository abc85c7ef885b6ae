// SPDX-License-Identifier: MIT
#include "supervise/stray_processes.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>

#include "base/processes.h"

namespace graphnet::supervise {

namespace {

// Rounds of killing: one reaches all that is there, the next what those left behind.
constexpr int kMaxRounds = 64;

bool is_among(pid_t pid, const std::vector<pid_t>& pids) {
  return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

}  // namespace

StrayProcesses StrayProcesses::adopt(std::string mark) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  return {base::children_of(::getpid()), std::move(mark)};
}

std::vector<pid_t> StrayProcesses::strays(const std::vector<pid_t>& others) const {
  std::vector<pid_t> found;
  for (const pid_t child : base::children_of(::getpid())) {
    if (is_among(child, known_) || is_among(child, others)) continue;
    if (mark_.empty() || !base::is_marked_otherwise(child, mark_)) found.push_back(child);
  }
  return found;
}

int StrayProcesses::kill(const std::vector<pid_t>& others) const {
  int num_killed = 0;
  for (int round = 0; round < kMaxRounds; ++round) {
    const std::vector<pid_t> found = strays(others);
    if (found.empty()) break;
    for (const pid_t stray : found) ::kill(stray, SIGKILL);
    for (const pid_t stray : found) {
      while (::waitpid(stray, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
    num_killed += static_cast<int>(found.size());
  }
  return num_killed;
}

}  // namespace graphnet::supervise
