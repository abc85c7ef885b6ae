// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "record/record.h"

namespace graphnet::supervise {

/// Which samples may be in memory at the same time.
class MemoryBudget {
 public:
  /// A worker that was admitted.
  struct Holder {
    std::int64_t need_bytes = 0;  ///< as expected()
    std::int64_t has_bytes = 0;   ///< now, see resident_bytes()
  };

  /// Memory that a sample is expected to need: the larger one of what its plan says (weights,
  /// inputs, results) and of the most that the same sample has taken before, and a quarter more.
  ///
  /// units    bytes; saturates at 2^63 - 1
  std::int64_t expected(const std::string& sample, std::int64_t planned_bytes) const;

  /// Whether it fits beside those that were let in: 7/8 of the free memory must hold it and what
  /// they have not allocated yet. A sample that runs alone always fits; its worker then decides
  /// whether to skip it.
  static bool fits(std::int64_t need_bytes, std::int64_t free_bytes,
                   const std::vector<Holder>& holders);

  /// Learns from a record.
  void note(const record::Record& record);

 private:
  std::map<std::string, std::int64_t> peaks_;  // by sample
};

/// Memory that a process has now; 0 if that cannot be read.
///
/// units    bytes
/// source   proc(5) /proc/pid/statm
std::int64_t resident_bytes(pid_t pid);

}  // namespace graphnet::supervise
