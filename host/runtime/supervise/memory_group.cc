// SPDX-License-Identifier: MIT
#include "supervise/memory_group.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "base/key_file.h"

namespace graphnet::supervise {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;

namespace {

constexpr std::string_view kNamePrefix = "graphnet-";

/// What the two versions call the same.
struct Names {
  const char* limit;
  const char* unlimited;
  const char* with_swap;  ///< the limit's file for memory and swap, or for swap alone
  const char* kills;      ///< file of "oom_kill number"
};

constexpr Names kLegacy = {"memory.limit_in_bytes", "-1", "memory.memsw.limit_in_bytes",
                           "memory.oom_control"};
constexpr Names kUnified = {"memory.max", "max", "memory.swap.max", "memory.events"};

// Version 1 tells the most that was used since it was told to forget; its count of failures
// (memory.failcnt) stays at 0 in Linux 6.18. A group may end some pages below its limit.
constexpr const char* kPeakFile = "memory.max_usage_in_bytes";
constexpr std::int64_t kCloseBytes = std::int64_t{1} << 20U;

const Names& names_of(int version) {
  return version == 2 ? kUnified : kLegacy;
}

/// Files of control groups take one value a write.
Status write_value(const fs::path& file, const std::string& value) {
  const base::UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (fd.is_open() &&
      ::write(fd.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size())) {
    return Status::ok();
  }
  return Status(Code::kEnvironment,
                "cannot write " + value + " to " + file.string() + ": " + std::strerror(errno));
}

bool has_word(const fs::path& file, const std::string& wanted) {
  std::ifstream stream(file);
  for (std::string word; stream >> word;) {
    if (word == wanted) return true;
  }
  return false;
}

/// Where this process stands in the two hierarchies, as folders; empty: in none.
struct OwnGroups {
  fs::path unified;
  fs::path unified_mount;
  fs::path legacy;
};

OwnGroups find_own_groups(const fs::path& root) {
  OwnGroups own;
  const fs::path mounts = root / "sys/fs/cgroup";
  std::ifstream stream(root / "proc/self/cgroup");
  std::string line;
  while (std::getline(stream, line)) {
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    const fs::path group = fs::path(line.substr(second + 1)).relative_path();
    std::error_code ignored;
    if (controllers == ",,") {
      const bool is_hybrid = fs::exists(mounts / "unified/cgroup.controllers", ignored);
      own.unified_mount = is_hybrid ? mounts / "unified" : mounts;
      own.unified = own.unified_mount / group;
    } else if (controllers.find(",memory,") != std::string::npos) {
      // A container may see its own group as the root, under the name that the machine gave it.
      const fs::path folder = mounts / "memory" / group;
      own.legacy = fs::is_directory(folder, ignored) ? folder : mounts / "memory";
    }
  }
  return own;
}

/// Whether groups in `parent` get the memory controller.
Status check_gives_memory(const fs::path& parent, bool may_ask) {
  if (!has_word(parent / "cgroup.controllers", "memory")) {
    return Status(Code::kEnvironment, parent.string() + " has no memory controller");
  }
  const fs::path given = parent / "cgroup.subtree_control";
  if (has_word(given, "memory")) return Status::ok();
  if (may_ask) return write_value(given, "+memory");
  return Status(Code::kEnvironment,
                parent.string() + " does not enable the memory controller for groups in it");
}

/// Removes groups of processes that were killed before they could.
void remove_left_behind(const fs::path& parent) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(parent, ignored)) {
    const std::string name = entry.path().filename();
    if (name.rfind(kNamePrefix, 0) != 0) continue;
    pid_t pid = 0;
    const char* begin = name.data() + kNamePrefix.size();
    const auto [end, error] = std::from_chars(begin, name.data() + name.size(), pid);
    if (error != std::errc() || *end != '-' || pid <= 0) continue;
    if (::kill(pid, 0) != 0 && errno == ESRCH) ::rmdir(entry.path().c_str());
  }
}

}  // namespace

Result<std::unique_ptr<MemoryGroup>> MemoryGroup::make_in(const fs::path& parent, int version,
                                                          int number) {
  remove_left_behind(parent);
  const fs::path folder = parent / (std::string(kNamePrefix) + std::to_string(::getpid()) + "-" +
                                    std::to_string(number));
  if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
    return Status(Code::kEnvironment,
                  "cannot make " + folder.string() + ": " + std::strerror(errno));
  }
  std::unique_ptr<MemoryGroup> group(new MemoryGroup(version, folder));
  GN_RETURN_IF_ERROR(group->set_limit(std::nullopt));
  return group;
}

Result<std::unique_ptr<MemoryGroup>> MemoryGroup::make(int number, const fs::path& root) {
  const OwnGroups own = find_own_groups(root);
  Status failure(Code::kEnvironment, "no control group can be made here");
  if (!own.unified.empty()) {
    const std::array<fs::path, 2> parents = {own.unified, own.unified.parent_path()};
    const bool has_parent = own.unified != own.unified_mount;
    for (std::size_t i = 0; i < (has_parent ? 2 : 1); ++i) {
      const Status gives = check_gives_memory(parents[i], /*may_ask=*/i == 0);
      auto group = gives.is_ok() ? make_in(parents[i], 2, number)
                                 : Result<std::unique_ptr<MemoryGroup>>(gives);
      if (group.is_ok()) return group;
      failure.add_context(group.status().message());
    }
  }
  if (!own.legacy.empty()) {
    auto group = make_in(own.legacy, 1, number);
    if (group.is_ok()) return group;
    failure.add_context(group.status().message());
  }
  return failure;
}

MemoryGroup::~MemoryGroup() {
  ::rmdir(folder_.c_str());
}

Status MemoryGroup::set_limit(std::optional<std::int64_t> num_bytes) {
  const Names& names = names_of(version_);
  if (version_ == 1) static_cast<void>(write_value(folder_ / kPeakFile, "0"));
  if (is_set_ && num_bytes == limit_) return Status::ok();
  const std::string value = num_bytes ? std::to_string(*num_bytes) : names.unlimited;
  const fs::path with_swap = folder_ / names.with_swap;
  // Many systems do not count swap, which is no reason to do without a limit. Version 1 wants its
  // limit with swap to be the larger one at any time.
  static_cast<void>(write_value(with_swap, names.unlimited));
  GN_RETURN_IF_ERROR(write_value(folder_ / names.limit, value));
  if (num_bytes) static_cast<void>(write_value(with_swap, version_ == 2 ? "0" : value));
  limit_ = num_bytes;
  is_set_ = true;
  return Status::ok();
}

Status MemoryGroup::take(pid_t pid) const {
  return write_value(folder_ / "cgroup.procs", std::to_string(pid));
}

MemoryGroup::Events MemoryGroup::events() const {
  Events events;
  events.oom_kills = base::read_key(folder_ / names_of(version_).kills, "oom_kill").value_or(0);
  if (version_ == 2) {
    events.limit_hits = base::read_key(folder_ / "memory.events", "oom").value_or(0);
  } else {
    std::int64_t peak_bytes = 0;
    std::ifstream(folder_ / kPeakFile) >> peak_bytes;
    if (limit_ && peak_bytes >= *limit_ - kCloseBytes) events.limit_hits = 1;
  }
  return events;
}

}  // namespace graphnet::supervise
