// SPDX-License-Identifier: MIT
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <optional>

namespace graphnet::conformance {

/// While it lives, this process can have so much more address space than it has now: allocations
/// beyond that fail, as those of a plugin do in a machine that is full.
class MemoryLimit {
 public:
  /// bytes   nothing: no limit
  explicit MemoryLimit(const std::optional<std::uint64_t>& bytes);
  ~MemoryLimit();
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

 private:
  std::optional<rlimit> earlier_;
};

}  // namespace graphnet::conformance
