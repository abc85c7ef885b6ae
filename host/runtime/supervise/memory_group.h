// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"

namespace graphnet::supervise {

/// A control group of our own that bounds the memory of what runs in it: a worker, whatever the
/// worker starts, and the process that forks workers. Unlike RLIMIT_DATA it counts used memory, not
/// reserved memory, of all of them together.
///
/// The group lies in the one that this process is in, or (version 2) beside it, because a group
/// with processes cannot give memory to groups in it. The only change to those groups is that they
/// delegate the memory controller, where the kernel allows it.
///
/// order    the group goes away with this object, once what ran in it has ended
/// source   Linux admin-guide/cgroup-v2, admin-guide/cgroup-v1/memory
class MemoryGroup {
 public:
  /// What the kernel counted since the group was made, or version 1 since the limit was set last.
  struct Events {
    std::int64_t oom_kills = 0;   ///< processes in it that were killed for lack of memory
    std::int64_t limit_hits = 0;  ///< more than before if the limit was reached
  };

  /// Tries version 2, then version 1. `number` tells the groups of this process apart; those that a
  /// process left behind which is gone are removed. `root` is "/" outside of tests.
  ///
  /// errors   kEnvironment: none can be made here, with the reason of each try as context
  static base::Result<std::unique_ptr<MemoryGroup>> make(int number,
                                                         const std::filesystem::path& root = "/");

  MemoryGroup(const MemoryGroup&) = delete;
  MemoryGroup& operator=(const MemoryGroup&) = delete;
  ~MemoryGroup();

  /// Bounds what is used from now on, swap included where that is counted; nothing: no bound.
  ///
  /// units    bytes
  /// errors   kEnvironment, for instance if more than that is used and cannot be freed
  base::Status set_limit(std::optional<std::int64_t> num_bytes);

  /// Moves a process here. What it starts from then on is here too; what it has used stays counted
  /// where it was.
  ///
  /// errors   kEnvironment
  base::Status take(pid_t pid) const;

  Events events() const;

  /// 2 or 1.
  int version() const { return version_; }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  MemoryGroup(int version, std::filesystem::path folder)
      : version_(version), folder_(std::move(folder)) {}
  static base::Result<std::unique_ptr<MemoryGroup>> make_in(const std::filesystem::path& parent,
                                                            int version, int number);

  int version_;
  std::filesystem::path folder_;
  std::optional<std::int64_t> limit_;  ///< as set last
  bool is_set_ = false;
};

}  // namespace graphnet::supervise
