// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace graphnet::tvm {

/// Where buffers begin: as the host aligns its own (abi.h); code that TVM writes relies on 64
/// bytes.
constexpr std::size_t kBufferAlignment = 256;

/// A buffer, and the calls between which its content is needed, both included.
struct Lifetime {
  std::size_t num_bytes = 0;
  std::size_t first = 0;
  std::size_t last = 0;
};

/// Where buffers lie in one block of memory.
struct MemoryPlan {
  std::vector<std::size_t> offsets;  ///< by buffer, multiples of kBufferAlignment
  std::size_t num_bytes = 0;         ///< of the block
};

/// Buffers whose lifetimes have no call in common may share bytes. The largest is placed first,
/// each at the lowest offset that is free.
///
/// source   Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference" (2020):
///          greedy by size
MemoryPlan plan_memory(const std::vector<Lifetime>& buffers);

}  // namespace graphnet::tvm
