// SPDX-License-Identifier: MIT
#include "tvm_plugin/memory_plan.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>

#include "tvm_plugin/memory_block.h"

namespace graphnet::tvm {
namespace memory_plan_test {

TEST(MemoryPlan, NothingTakesNoMemory) {
  EXPECT_EQ(plan_memory({}).num_bytes, 0U);
  const MemoryPlan plan = plan_memory({{0, 0, 3}, {0, 1, 2}});
  EXPECT_EQ(plan.num_bytes, 0U);
  EXPECT_EQ(plan.offsets.size(), 2U);
}

// A chain of calls, each reading what the one before made, takes two buffers.
TEST(MemoryPlan, AChainTakesTwoBuffers) {
  std::vector<Lifetime> chain;
  for (std::size_t i = 0; i < 10; ++i) chain.push_back({1000, i, i + 1});
  const MemoryPlan plan = plan_memory(chain);
  EXPECT_EQ(plan.num_bytes, 2048U);
  for (std::size_t i = 0; i + 1 < chain.size(); ++i) {
    EXPECT_NE(plan.offsets[i], plan.offsets[i + 1]) << i;
  }
}

TEST(MemoryPlan, SmallBuffersFillTheGapsOfLargeOnes) {
  const MemoryPlan plan = plan_memory({{4096, 0, 1}, {4096, 2, 3}, {1024, 2, 2}, {2048, 0, 0}});
  EXPECT_EQ(plan.num_bytes, 4096U + 2048U);
  EXPECT_EQ(plan.offsets[0], plan.offsets[1]);
  EXPECT_EQ(plan.offsets[2], plan.offsets[3]);
}

TEST(MemoryPlan, NoTwoBuffersThatAreNeededTogetherShareAByte) {
  std::mt19937 random(7);
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<Lifetime> buffers;
    std::size_t sum = 0;
    for (int i = 0; i < 60; ++i) {
      const std::size_t first = random() % 40;
      buffers.push_back({random() % 5000, first, first + random() % 10});
      sum += buffers.back().num_bytes + kBufferAlignment;
    }
    const MemoryPlan plan = plan_memory(buffers);
    EXPECT_LT(plan.num_bytes, sum);
    for (std::size_t a = 0; a < buffers.size(); ++a) {
      EXPECT_EQ(plan.offsets[a] % kBufferAlignment, 0U);
      EXPECT_LE(plan.offsets[a] + buffers[a].num_bytes, plan.num_bytes);
      for (std::size_t b = 0; b < a; ++b) {
        const bool together =
            buffers[a].first <= buffers[b].last && buffers[b].first <= buffers[a].last;
        const bool apart = plan.offsets[a] + buffers[a].num_bytes <= plan.offsets[b] ||
                           plan.offsets[b] + buffers[b].num_bytes <= plan.offsets[a];
        EXPECT_TRUE(!together || apart) << a << " " << b;
      }
    }
  }
}

TEST(MemoryBlock, HoldsWhatIsAskedForAtAnAlignedAddress) {
  EXPECT_EQ(allocate_block(0), nullptr);
  for (const std::size_t num_bytes : {std::size_t{1}, std::size_t{257}, std::size_t{5} << 20U}) {
    const MemoryBlock block = allocate_block(num_bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block.get()) % kBufferAlignment, 0U);
    block.get()[num_bytes - 1] = std::byte{1};
  }
}

}  // namespace memory_plan_test
}  // namespace graphnet::tvm
