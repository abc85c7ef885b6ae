// SPDX-License-Identifier: MIT
#include "base/aligned_buffer.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace graphnet::base {
namespace aligned_buffer_test {

using Damage = AlignedBuffer::Damage;

TEST(AlignedBuffer, IsAlignedAndWholeAtFirst) {
  for (const std::size_t num_bytes : {0U, 1U, 24U, 256U, 257U}) {
    const AlignedBuffer buffer = AlignedBuffer::allocate(num_bytes);
    ASSERT_NE(buffer.data(), nullptr);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(buffer.data()) % AlignedBuffer::kAlignment, 0U);
    EXPECT_EQ(buffer.damage(), Damage::kNone) << num_bytes;
  }
  EXPECT_EQ(AlignedBuffer::allocate(static_cast<std::size_t>(-1)).data(), nullptr);
}

TEST(AlignedBuffer, SeesASingleByteOnEitherSide) {
  for (const std::size_t num_bytes : {1U, 24U, 256U}) {
    AlignedBuffer behind = AlignedBuffer::allocate(num_bytes);
    behind.data()[num_bytes] = std::byte{0};
    EXPECT_EQ(behind.damage(), Damage::kBehind);
    AlignedBuffer before = AlignedBuffer::allocate(num_bytes);
    *(before.data() - 1) = std::byte{0};
    EXPECT_EQ(before.damage(), Damage::kBefore);
    const AlignedBuffer moved = std::move(before);
    EXPECT_EQ(moved.damage(), Damage::kBefore);
  }
}

}  // namespace aligned_buffer_test
}  // namespace graphnet::base
