// SPDX-License-Identifier: MIT
#include "tvm_plugin/kernel.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

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

}  // namespace kernel_test
}  // namespace graphnet::tvm
