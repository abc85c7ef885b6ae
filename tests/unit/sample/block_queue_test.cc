// SPDX-License-Identifier: MIT
#include "sample/block_queue.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <vector>

namespace graphnet::sample {
namespace block_queue_test {

/// Pushes numbered blocks; `delay` slows their use down.
void check(std::size_t num_blocks, std::chrono::microseconds delay) {
  std::vector<std::atomic<int>> uses(num_blocks);
  std::atomic<bool> is_right{true};
  {
    BlockQueue queue([&](const PolarPoints& points, std::size_t number) {
      if (delay.count() > 0) std::this_thread::sleep_for(delay);
      if (points.x1[0] != static_cast<double>(number)) is_right = false;
      ++uses.at(number);
    });
    for (std::size_t i = 0; i < num_blocks; ++i) {
      queue.free_block()->x1[0] = static_cast<double>(i);
      queue.push();
    }
  }
  EXPECT_TRUE(is_right);
  for (const auto& count : uses) EXPECT_EQ(count, 1);
}

TEST(BlockQueue, UsesEveryBlockOnceWithItsNumber) {
  for (const std::size_t num_blocks : {0U, 1U, 7U, 8U, 9U, 33U, 1000U}) {
    check(num_blocks, std::chrono::microseconds(0));
  }
}

TEST(BlockQueue, MakerHelpsWhenTheOtherIsBehind) {
  check(100, std::chrono::microseconds(200));
}

}  // namespace block_queue_test
}  // namespace graphnet::sample
