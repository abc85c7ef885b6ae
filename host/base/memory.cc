// SPDX-License-Identifier: MIT
#include "base/memory.h"

#include <malloc.h>
#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>

#include "base/key_file.h"

namespace graphnet::base {

namespace fs = std::filesystem;

namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

// The sanitizers of addresses and threads reserve terabytes of private memory. GCC tells of them by
// macros, clang by features.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kReservesTerabytes = true;
#elif defined(__has_feature)
constexpr bool kReservesTerabytes =
    __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kReservesTerabytes = false;
#endif

/// The number in a file, or `otherwise` ("max", no file).
std::int64_t read_number(const fs::path& file, std::int64_t otherwise) {
  std::ifstream stream(file);
  std::int64_t number = 0;
  return stream >> number ? number : otherwise;
}

/// File names of one version of control groups.
struct GroupFiles {
  const char* limit;
  const char* used;
  const char* cache_key;
};

std::int64_t left_in_group(const fs::path& folder, const GroupFiles& files) {
  const std::int64_t limit = read_number(folder / files.limit, kUnlimited);
  const std::int64_t used = read_number(folder / files.used, 0);
  if (limit == kUnlimited) return kUnlimited;
  const std::int64_t cache = read_key(folder / "memory.stat", files.cache_key).value_or(0);
  return std::max<std::int64_t>(0, limit - std::max<std::int64_t>(0, used - cache));
}

/// The least that a group and all groups around it have left.
std::int64_t left_in_groups(const fs::path& mount, const std::string& group,
                            const GroupFiles& files) {
  std::int64_t least = left_in_group(mount, files);
  fs::path folder = mount;
  for (const fs::path& part : fs::path(group).relative_path()) {
    if (part == "..") break;
    folder /= part;
    least = std::min(least, left_in_group(folder, files));
  }
  return least;
}

std::int64_t left_in_control_groups(const fs::path& root) {
  const GroupFiles unified = {"memory.max", "memory.current", "inactive_file"};
  const GroupFiles legacy = {"memory.limit_in_bytes", "memory.usage_in_bytes",
                             "total_inactive_file"};
  std::int64_t least = kUnlimited;
  std::ifstream stream(root / "proc/self/cgroup");
  std::string line;
  while (std::getline(stream, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const std::string group = line.substr(second + 1);
    if (controllers == ",,") {
      least = std::min(least, left_in_groups(root / "sys/fs/cgroup", group, unified));
    } else if (controllers.find(",memory,") != std::string::npos) {
      least = std::min(least, left_in_groups(root / "sys/fs/cgroup/memory", group, legacy));
    }
  }
  return least;
}

std::int64_t data_limit() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_DATA, &limit) != 0 || limit.rlim_cur > rlim_t{kUnlimited}) {
    return kUnlimited;
  }
  return static_cast<std::int64_t>(limit.rlim_cur);
}

}  // namespace

std::int64_t available_memory_bytes(const fs::path& root) {
  const std::int64_t kibibytes = read_key(root / "proc/meminfo", "MemAvailable:").value_or(-1);
  const bool is_known = kibibytes >= 0 && kibibytes <= kUnlimited / 1024;
  return std::min(
      {is_known ? kibibytes * 1024 : kUnlimited, left_in_control_groups(root), data_limit()});
}

bool can_limit_data() {
  return !kReservesTerabytes;
}

void limit_data_bytes(std::uint64_t num_bytes) {
  if (num_bytes == 0 || !can_limit_data()) return;
  const struct rlimit limit = {num_bytes, num_bytes};
  ::setrlimit(RLIMIT_DATA, &limit);
}

void offer_to_oom_killer() {
  // Counts as 300/1000 of all memory more than it has; raising one's own needs no rights.
  std::ofstream("/proc/self/oom_score_adj") << 300;
}

bool keep_freed_memory() {
  constexpr int kMmapThresholdBytes = 32 << 20;
  constexpr int kNever = -1;
  return ::mallopt(M_MMAP_THRESHOLD, kMmapThresholdBytes) == 1 &&
         ::mallopt(M_TRIM_THRESHOLD, kNever) == 1;
}

}  // namespace graphnet::base
