// SPDX-License-Identifier: MIT
#include "supervise/stray_processes.h"

#include <dirent.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <fstream>
#include <string>

namespace graphnet::supervise {

namespace {

// Rounds of killing: one reaches all that is there, the next what those left behind.
constexpr int kMaxRounds = 64;

/// Parent of a process, from the field behind the last ')': names may hold anything.
pid_t parent_of(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 4 > line.size()) return -1;
  pid_t parent = -1;
  std::from_chars(line.data() + name_end + 4, line.data() + line.size(), parent);
  return parent;
}

/// What the kernel lists for each thread, if it was built to: no search.
bool read_children_lists(std::vector<pid_t>& children) {
  DIR* threads = ::opendir("/proc/self/task");
  if (threads == nullptr) return false;
  bool is_known = true;
  while (const dirent* entry = ::readdir(threads)) {
    if (entry->d_name[0] == '.') continue;
    std::ifstream list(std::string("/proc/self/task/") + entry->d_name + "/children");
    is_known = is_known && list.is_open();
    for (pid_t child = 0; list >> child;) children.push_back(child);
  }
  ::closedir(threads);
  return is_known;
}

std::vector<pid_t> children_of_this_process() {
  std::vector<pid_t> children;
  if (read_children_lists(children)) return children;
  children.clear();
  DIR* processes = ::opendir("/proc");
  if (processes == nullptr) return children;
  while (const dirent* entry = ::readdir(processes)) {
    const std::string name = entry->d_name;
    pid_t pid = -1;
    const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), pid);
    if (error != std::errc() || rest != name.data() + name.size()) continue;
    if (parent_of(name) == ::getpid()) children.push_back(pid);
  }
  ::closedir(processes);
  return children;
}

/// True if a process carries the variable of `mark` with another value.
bool is_marked_otherwise(pid_t pid, const std::string& mark) {
  const std::string name = mark.substr(0, mark.find('=') + 1);
  std::ifstream environment("/proc/" + std::to_string(pid) + "/environ");
  std::string variable;
  while (std::getline(environment, variable, '\0')) {
    if (variable.rfind(name, 0) == 0) return variable != mark;
  }
  return false;
}

bool is_among(pid_t pid, const std::vector<pid_t>& pids) {
  return std::find(pids.begin(), pids.end(), pid) != pids.end();
}

}  // namespace

StrayProcesses StrayProcesses::adopt(std::string mark) {
  ::prctl(PR_SET_CHILD_SUBREAPER, 1);
  return {children_of_this_process(), std::move(mark)};
}

std::vector<pid_t> StrayProcesses::strays(const std::vector<pid_t>& others) const {
  std::vector<pid_t> found;
  for (const pid_t child : children_of_this_process()) {
    if (is_among(child, known_) || is_among(child, others)) continue;
    if (mark_.empty() || !is_marked_otherwise(child, mark_)) found.push_back(child);
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
