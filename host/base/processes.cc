// SPDX-License-Identifier: MIT
#include "base/processes.h"

#include <dirent.h>
#include <time.h>
#include <unistd.h>

#include <charconv>
#include <fstream>
#include <memory>

namespace graphnet::base {

namespace {

struct CloseFolder {
  void operator()(DIR* folder) const { ::closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

std::string stat_of(const std::string& process) {
  std::ifstream file("/proc/" + process + "/stat");
  std::string line;
  std::getline(file, line);
  return line;
}

pid_t parent_of(const std::string& process) {
  const std::string line = stat_of(process);
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos || name_end + 4 > line.size()) return -1;
  pid_t parent = -1;
  std::from_chars(line.data() + name_end + 4, line.data() + line.size(), parent);
  return parent;
}

/// What the kernel lists for each thread, if it was built to: no search.
bool read_children_lists(pid_t pid, std::vector<pid_t>& children) {
  const std::string path = "/proc/" + std::to_string(pid) + "/task";
  const Folder threads(::opendir(path.c_str()));
  if (!threads) return true;  // no such process
  bool is_known = true;
  while (const dirent* entry = ::readdir(threads.get())) {
    if (entry->d_name[0] == '.') continue;
    const std::string thread = path + "/" + entry->d_name;
    std::ifstream list(thread + "/children");
    // A thread may end between the two.
    is_known = is_known && (list.is_open() || !std::ifstream(thread + "/stat").is_open());
    for (pid_t child = 0; list >> child;) children.push_back(child);
  }
  return is_known;
}

}  // namespace

std::vector<pid_t> children_of(pid_t pid) {
  std::vector<pid_t> children;
  if (read_children_lists(pid, children)) return children;
  children.clear();
  const Folder processes(::opendir("/proc"));
  if (!processes) return children;
  while (const dirent* entry = ::readdir(processes.get())) {
    const std::string name = entry->d_name;
    pid_t found = -1;
    const auto [rest, error] = std::from_chars(name.data(), name.data() + name.size(), found);
    if (error != std::errc() || rest != name.data() + name.size()) continue;
    if (parent_of(name) == pid) children.push_back(found);
  }
  return children;
}

int num_threads(pid_t pid) {
  const Folder threads(::opendir(("/proc/" + std::to_string(pid) + "/task").c_str()));
  if (!threads) return 0;
  int count = 0;
  while (const dirent* entry = ::readdir(threads.get())) count += entry->d_name[0] != '.' ? 1 : 0;
  return count;
}

int num_threads() {
  return num_threads(::getpid());
}

bool is_single_threaded() {
  constexpr int kTries = 1000;
  const timespec pause = {0, 100'000};
  for (int i = 0; i < kTries && num_threads() != 1; ++i) ::nanosleep(&pause, nullptr);
  return num_threads() == 1;
}

char process_state_in(std::string_view stat) {
  const std::size_t end = stat.rfind(") ");
  return end == std::string_view::npos || end + 2 >= stat.size() ? '\0' : stat[end + 2];
}

char process_state(pid_t pid) {
  return process_state_in(stat_of(std::to_string(pid)));
}

bool has_ended(pid_t pid) {
  const char state = process_state(pid);
  return state == 'Z' ? num_threads(pid) <= 1 : state == '\0' || state == 'X';
}

bool is_marked_otherwise(pid_t pid, const std::string& mark) {
  const std::string name = mark.substr(0, mark.find('=') + 1);
  std::ifstream environment("/proc/" + std::to_string(pid) + "/environ");
  std::string variable;
  while (std::getline(environment, variable, '\0')) {
    if (variable.rfind(name, 0) == 0) return variable != mark;
  }
  return false;
}

}  // namespace graphnet::base
