// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "support/run_program.h"

namespace graphnet::tests {

/// A process that carries a mark, "NAME=value" in its environment: everything that a marked program
/// starts does.
struct MarkedProcess {
  pid_t pid = 0;
  pid_t parent = 0;
  long long start = 0;  ///< since the machine started, ticks
};

/// Those that live now, oldest first.
inline std::vector<MarkedProcess> marked_processes(const std::string& mark) {
  constexpr int kStartField = 22;  // of proc_pid_stat(5)
  std::vector<MarkedProcess> found;
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/proc", ignored)) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    if (read_text(entry.path() / "environ").find(mark) == std::string::npos) continue;
    const std::string stat = read_text(entry.path() / "stat");
    const std::size_t name_end = stat.rfind(')');
    if (name_end == std::string::npos) continue;
    std::istringstream fields(stat.substr(name_end + 1));
    MarkedProcess process;
    process.pid = std::atoi(name.c_str());
    std::string field;
    for (int number = 3; number <= kStartField && fields >> field; ++number) {
      if (number == 4) process.parent = std::atoi(field.c_str());
      if (number == kStartField) process.start = std::atoll(field.c_str());
    }
    found.push_back(process);
  }
  std::sort(found.begin(), found.end(), [](const MarkedProcess& a, const MarkedProcess& b) {
    return a.start != b.start ? a.start < b.start : a.pid < b.pid;
  });
  return found;
}

/// How many there are once those that are just ending have had `patience`.
inline int num_left_processes(const std::string& mark,
                              std::chrono::seconds patience = std::chrono::seconds(1)) {
  std::size_t left = 0;
  const auto end = std::chrono::steady_clock::now() + patience;
  while (std::chrono::steady_clock::now() < end) {
    left = marked_processes(mark).size();
    if (left == 0) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return static_cast<int>(left);
}

}  // namespace graphnet::tests
