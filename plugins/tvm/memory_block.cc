// SPDX-License-Identifier: MIT
#include "tvm_plugin/memory_block.h"

#include <sys/mman.h>

#include <new>

#include "tvm_plugin/memory_plan.h"

namespace graphnet::tvm {

namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21U;

}  // namespace

MemoryBlock allocate_block(std::size_t num_bytes) {
  if (num_bytes == 0) return nullptr;
  const bool is_huge = num_bytes >= kHugePage;
  const std::size_t alignment = is_huge ? kHugePage : kBufferAlignment;
  const std::size_t size = (num_bytes + alignment - 1) / alignment * alignment;
  MemoryBlock block(static_cast<std::byte*>(std::aligned_alloc(alignment, size)));
  if (!block) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  // A system without them refuses, and the pages are small.
  if (is_huge) ::madvise(block.get(), size, MADV_HUGEPAGE);
#endif
  return block;
}

}  // namespace graphnet::tvm
