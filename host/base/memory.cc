// SPDX-License-Identifier: MIT
#include "base/memory.h"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

namespace graphnet::base {

namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

std::uint64_t meminfo_available() {
  std::ifstream file("/proc/meminfo");
  std::string key;
  std::uint64_t kibibytes = 0;
  std::string rest;
  while (file >> key >> kibibytes && std::getline(file, rest)) {
    if (key == "MemAvailable:") return kibibytes * 1024;
  }
  return 0;
}

/// A file that holds one number; "max" and no file are unlimited.
std::uint64_t read_number(const std::string& path) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : kUnlimited;
}

std::uint64_t room(std::uint64_t limit, std::uint64_t used) {
  if (limit == kUnlimited || used == kUnlimited) return kUnlimited;
  return limit > used ? limit - used : 0;
}

/// What the control groups of this process leave; a container sees its own group as the root.
std::uint64_t control_group_available() {
  std::ifstream file("/proc/self/cgroup");
  std::uint64_t least = kUnlimited;
  for (std::string line; std::getline(file, line);) {
    const std::size_t second = line.find(':', line.find(':') + 1);
    if (second == std::string::npos) continue;
    const std::string path = line.substr(second + 1);
    const bool is_v2 = line.rfind("0::", 0) == 0;
    if (!is_v2 && line.find(":memory:") == std::string::npos) continue;
    for (const std::string& group : {path, std::string()}) {
      const std::string folder = (is_v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/memory") + group;
      const char* limit = is_v2 ? "/memory.max" : "/memory.limit_in_bytes";
      const char* used = is_v2 ? "/memory.current" : "/memory.usage_in_bytes";
      least = std::min(least, room(read_number(folder + limit), read_number(folder + used)));
    }
  }
  return least;
}

}  // namespace

std::uint64_t available_memory_bytes() {
  return std::min(meminfo_available(), control_group_available());
}

void limit_data_bytes(std::uint64_t num_bytes) {
#if !defined(__SANITIZE_ADDRESS__)
  if (num_bytes == 0) return;
  const struct rlimit limit = {num_bytes, num_bytes};
  ::setrlimit(RLIMIT_DATA, &limit);
#else
  static_cast<void>(num_bytes);
#endif
}

}  // namespace graphnet::base
