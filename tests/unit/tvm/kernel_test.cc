// SPDX-License-Identifier: MIT
#include "tvm_plugin/kernel.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tvm_plugin/stage.h"
#include "tvm_plugin/vector_unit.h"

namespace graphnet::tvm {
namespace kernel_test {

TEST(BlockRole, IsFoundInItsName) {
  std::set<std::string> names;
  for (const BlockRole role :
       {BlockRole::kOut, BlockRole::kAcc, BlockRole::kShared, BlockRole::kPartial,
        BlockRole::kReduced, BlockRole::kRest, BlockRole::kJoined}) {
    for (const int number : {0, 12}) {
      EXPECT_EQ(role_of(block_name(role, number)), role) << block_name(role, number);
    }
    EXPECT_TRUE(names.insert(block_name(role)).second) << block_name(role);
  }
}

TEST(BlockRole, IsNumberedWhereAKernelMayHaveSeveral) {
  EXPECT_EQ(block_name(BlockRole::kAcc), "acc");
  EXPECT_EQ(block_name(BlockRole::kRest, 2), "reduced_rest2");
}

TEST(RowTile, IsOfTheUsualSizeOrLeavesTheFewestRowsOver) {
  const auto rows_of_tile = [](const VectorUnit& unit, std::int64_t rows) {
    return tile_of(rows, unit.rows_of_product(rows, 2 * unit.lanes));
  };
  EXPECT_EQ(rows_of_tile(kAvx512, 4), 4);
  EXPECT_EQ(rows_of_tile(kAvx512, 11), 11);
  EXPECT_EQ(rows_of_tile(kAvx512, 50), 10);
  EXPECT_EQ(rows_of_tile(kAvx512, 249), 10);
  EXPECT_EQ(rows_of_tile(kAvx512, 400), 8);
  EXPECT_EQ(rows_of_tile(kAvx2, 400), 5);
  EXPECT_EQ(rows_of_tile(kAvx2, 12), 6);
}

}  // namespace kernel_test
}  // namespace graphnet::tvm
