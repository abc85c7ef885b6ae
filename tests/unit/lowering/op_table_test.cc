// SPDX-License-Identifier: MIT
#include "lowering/op_table.h"

#include <gtest/gtest.h>

#include <set>
#include <string_view>

#include "lowering/tensor.h"

namespace graphnet::lowering {
namespace op_table_test {

TEST(OpTable, FindsEveryOperatorByItsName) {
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kNumOps; ++i) {
    const auto op = static_cast<Op>(i);
    EXPECT_EQ(find_op(op_name(op)), op) << op_name(op);
    EXPECT_TRUE(names.insert(op_name(op)).second) << op_name(op) << " twice";
    EXPECT_NE(decomposition_of(op), nullptr);
  }
  EXPECT_EQ(find_op("aten::no_such_operator"), Op::kCount);
}

// Values of torch.result_type.
TEST(Promote, FollowsATen) {
  EXPECT_EQ(promote(Type::kF16, false, Type::kF32, true), Type::kF16);
  EXPECT_EQ(promote(Type::kI64, false, Type::kF32, true), Type::kF32);
  EXPECT_EQ(promote(Type::kBool, false, Type::kI64, true), Type::kI64);
  EXPECT_EQ(promote(Type::kI32, false, Type::kI64, true), Type::kI32);
  EXPECT_EQ(promote(Type::kF16, false, Type::kBF16, false), Type::kF32);
  EXPECT_EQ(promote(Type::kU8, false, Type::kI8, false), Type::kI16);
  EXPECT_EQ(promote(Type::kF64, false, Type::kC64, false), Type::kC128);
  EXPECT_EQ(promote(Type::kI64, true, Type::kI32, true), Type::kI64);
}

}  // namespace op_table_test
}  // namespace graphnet::lowering
