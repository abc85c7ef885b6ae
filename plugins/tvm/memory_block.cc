// SPDX-License-Identifier: MIT
#include "tvm_plugin/memory_block.h"

#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#include <new>

#include "tvm_plugin/memory_plan.h"
#include "tvm_plugin/vector_unit.h"

namespace graphnet::tvm {

namespace {

constexpr std::size_t kHugePage = std::size_t{1} << 21U;

/// A mapping that begins at a multiple of a huge page: one page too many is asked for, and what
/// lies before and behind is given back.
MemoryBlock map_huge_pages(std::size_t size) {
  const std::size_t asked = size + kHugePage;
  void* const mapped =
      ::mmap(nullptr, asked, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) throw std::bad_alloc();
  auto* const begin = static_cast<std::byte*>(mapped);
  const auto address = reinterpret_cast<std::uintptr_t>(mapped);
  const std::size_t before = round_up(address, kHugePage) - address;
  if (before > 0) ::munmap(begin, before);
  ::munmap(begin + before + size, kHugePage - before);
#ifdef MADV_HUGEPAGE
  // A system without them refuses, and the pages are small.
  ::madvise(begin + before, size, MADV_HUGEPAGE);
#endif
  return MemoryBlock(begin + before, FreeMemory{size});
}

}  // namespace

void FreeMemory::operator()(std::byte* block) const {
  if (mapped_bytes == 0) {
    std::free(block);
  } else {
    ::munmap(block, mapped_bytes);
  }
}

MemoryBlock allocate_block(std::size_t num_bytes) {
  if (num_bytes == 0) return nullptr;
  if (num_bytes >= kHugePage) return map_huge_pages(round_up(num_bytes, kHugePage));
  const std::size_t size = round_up(num_bytes, kBufferAlignment);
  MemoryBlock block(static_cast<std::byte*>(std::aligned_alloc(kBufferAlignment, size)));
  if (!block) throw std::bad_alloc();
  return block;
}

}  // namespace graphnet::tvm
