// SPDX-License-Identifier: MIT
#include "graphnet/own_heap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <thread>
#include <vector>

#include "graphnet/failure.h"

namespace graphnet {
namespace own_heap_test {

std::uintptr_t address_of(const std::unique_ptr<char[]>& block) {
  return reinterpret_cast<std::uintptr_t>(block.get());
}

TEST(OnOwnHeap, WhatIsLeftThereIsNotBetweenTheCallersBlocks) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer's allocator has one heap for all threads";
#endif
  constexpr int kBlocks = 1000;
  constexpr std::size_t kBytes = 5000;
  std::vector<std::unique_ptr<char[]>> own;
  std::vector<std::unique_ptr<char[]>> others;
  for (int i = 0; i < kBlocks; ++i) {
    own.push_back(std::make_unique<char[]>(kBytes));
    on_own_heap([&] { others.push_back(std::make_unique<char[]>(kBytes)); });
  }
  std::uintptr_t least = address_of(own[0]);
  std::uintptr_t most = least;
  for (const auto& block : own) {
    least = std::min(least, address_of(block));
    most = std::max(most, address_of(block));
  }
  for (const auto& block : others) {
    EXPECT_FALSE(least < address_of(block) && address_of(block) < most);
  }
}

TEST(OnOwnHeap, WhatIsThrownArrives) {
  std::thread::id where;
  try {
    on_own_heap([&] {
      where = std::this_thread::get_id();
      throw Failure(GN_STATUS_COMPILE_FAILED, "cannot");
    });
    FAIL() << "nothing was thrown";
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), static_cast<std::uint32_t>(GN_STATUS_COMPILE_FAILED));
    EXPECT_STREQ(failure.what(), "cannot");
  }
  EXPECT_NE(where, std::this_thread::get_id());
}

}  // namespace own_heap_test
}  // namespace graphnet
