// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <memory>

namespace graphnet::tvm {

struct FreeMemory {
  std::size_t mapped_bytes = 0;  ///< 0: from the heap

  void operator()(std::byte* block) const;
};
/// Null: nothing is needed.
using MemoryBlock = std::unique_ptr<std::byte, FreeMemory>;

/// Memory that begins at a multiple of kBufferAlignment (memory_plan.h). From 2 MiB on it is a
/// mapping of its own, in huge pages where the system has them: kernels walk through all of a
/// program's memory in each call, and the processor keeps the addresses of a few thousand pages.
/// The heap is shared with eager, whose memory must not become faster because of this plugin.
///
/// errors   std::bad_alloc
MemoryBlock allocate_block(std::size_t num_bytes);

}  // namespace graphnet::tvm
