// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace graphnet::tvm {

struct FreeMemory {
  void operator()(std::byte* block) const { std::free(block); }
};
/// Null: nothing is needed.
using MemoryBlock = std::unique_ptr<std::byte, FreeMemory>;

/// Memory that begins at a multiple of kBufferAlignment (memory_plan.h); from 2 MiB on in huge
/// pages where the system has them. Kernels read one tensor and write the next, so most of what
/// they touch is in pages that were touched long ago: with pages of 4 KiB, convolutional networks
/// take 4 to 8 % longer.
///
/// errors   std::bad_alloc
MemoryBlock allocate_block(std::size_t num_bytes);

}  // namespace graphnet::tvm
