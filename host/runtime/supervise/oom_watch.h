// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "supervise/memory_group.h"

namespace graphnet::supervise {

/// What the kernel's out-of-memory killer did while a worker lived.
enum class OomKill {
  kUnknown,  ///< the kernel does not tell
  kNone,     ///< nothing, anywhere on the machine
  kAtLimit,  ///< it ended a process of the worker's group, whose limit had been reached
  kOutside,  ///< it ended a process because the machine, or a group around ours, had no memory left
};

/// Compares the kernel's counts of before and after.
///
/// source   proc(5) /proc/vmstat "oom_kill" (since Linux 4.13), which counts every such kill
class OomWatch {
 public:
  /// `group`: that the worker runs in, or null. `root` is "/" outside of tests.
  OomWatch(const MemoryGroup* group, std::filesystem::path root);

  /// Since this object was made.
  OomKill kill() const;

 private:
  std::optional<std::int64_t> kills_on_machine() const;

  const MemoryGroup* group_;
  std::filesystem::path root_;
  MemoryGroup::Events before_;
  std::optional<std::int64_t> machine_before_;
};

}  // namespace graphnet::supervise
