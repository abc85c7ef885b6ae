// SPDX-License-Identifier: MIT
#include "tvm_plugin/index_arithmetic.h"

#include <gtest/gtest.h>

#include <random>

#include "unit/tvm/program_compiler_fixture.h"

namespace graphnet::tvm {
namespace index_arithmetic_test {

class IndexArithmeticTest : public ProgramCompilerTest {};

std::int64_t floor_of(std::int64_t a, std::int64_t by) {
  return a / by - (a % by < 0 ? 1 : 0);
}

using Values = std::vector<std::pair<Expr, std::int64_t>>;

/// What an index expression is where its variables have these values.
std::int64_t value_of(const Expr& e, const Values& values) {
  std::int64_t number = 0;
  if (is_constant(e, number)) return number;
  for (const auto& [variable, value] : values) {
    if (variable.get() == e.get()) return value;
  }
  const std::int64_t a = value_of(child(e, "a"), values);
  const std::int64_t b = value_of(child(e, "b"), values);
  if (is(e, "prim.Add")) return a + b;
  if (is(e, "prim.Sub")) return a - b;
  if (is(e, "prim.Mul")) return a * b;
  if (is(e, "prim.FloorDiv")) return floor_of(a, b);
  EXPECT_TRUE(is(e, "prim.FloorMod"));
  return a - b * floor_of(a, b);
}

int num_divisions(const Expr& e) {
  std::int64_t number = 0;
  if (is_constant(e, number) || is(e, "ir.Var")) return 0;
  const int own = is(e, "prim.FloorDiv") || is(e, "prim.FloorMod") ? 1 : 0;
  return own + num_divisions(child(e, "a")) + num_divisions(child(e, "b"));
}

// Rows of 11 are padded to 12, read as 12 rows of 6 without the first, and as rows of 11 again.
TEST_F(IndexArithmeticTest, RelativeShiftNeedsNoDivision) {
  IndexArithmetic arithmetic;
  const Expr i = index_variable("i");
  const Expr j = index_variable("j");
  arithmetic.set_extent(i, 6);
  arithmetic.set_extent(j, 6);
  const auto [row, column] = arithmetic.split(add(multiply(i, integer(11)), j), 6);
  const Expr later = add(row, integer(1));
  const auto [from, padded] = arithmetic.split(add(multiply(later, integer(6)), column), 12);
  EXPECT_EQ(num_divisions(from), 0);
  EXPECT_EQ(num_divisions(padded), 0);
  EXPECT_TRUE(arithmetic.is_at_least(padded, 1)) << "what was padded is never read";
  EXPECT_FALSE(arithmetic.is_at_least(padded, 2));
  EXPECT_TRUE(arithmetic.is_below(padded, 12));
  EXPECT_FALSE(arithmetic.is_below(padded, 11));
  for (std::int64_t a = 0; a < 6; ++a) {
    for (std::int64_t b = 0; b < 6; ++b) {
      EXPECT_EQ(value_of(from, {{i, a}, {j, b}}), a);
      EXPECT_EQ(value_of(padded, {{i, a}, {j, b}}), 6 - a + b);
    }
  }
}

TEST_F(IndexArithmeticTest, WithoutExtentsNothingIsKnown) {
  const IndexArithmetic arithmetic;
  const Expr i = index_variable("i");
  const auto [quotient, rest] = arithmetic.split(add(multiply(i, integer(12)), integer(3)), 12);
  EXPECT_EQ(value_of(quotient, {{i, 5}}), 5);
  EXPECT_EQ(value_of(rest, {{i, 5}}), 3);
  const auto other = arithmetic.split(i, 12);
  EXPECT_TRUE(is(other.first, "prim.FloorDiv"));
  EXPECT_TRUE(is(other.second, "prim.FloorMod"));
  EXPECT_FALSE(arithmetic.is_at_least(i, 0));
}

// Sums are divided, changed and put together again, with numbers of either sign.
TEST_F(IndexArithmeticTest, SplitsAsDivisionDoes) {
  std::mt19937 random(3);
  const auto draw = [&](std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(random() % static_cast<unsigned>(most - least + 1));
  };
  const IndexArithmetic without_extents;
  int num_gone = 0;  // divisions that need the extents to go
  for (int round = 0; round < 1000; ++round) {
    IndexArithmetic arithmetic;
    const Expr i = index_variable("i");
    const Expr j = index_variable("j");
    arithmetic.set_extent(i, 5);
    arithmetic.set_extent(j, 4);
    const std::int64_t numbers[] = {draw(2, 9), draw(2, 13), draw(-2, 2)};
    Expr index = subtract(multiply(i, integer(draw(-14, 14))), multiply(j, integer(draw(-3, 3))));
    index = add(index, integer(draw(-20, 20)));
    const auto [row, column] = arithmetic.split(index, numbers[0]);
    const Expr again = add(multiply(add(row, integer(numbers[2])), integer(numbers[0])), column);
    const auto [quotient, rest] = arithmetic.split(again, numbers[1]);
    const int others = num_divisions(without_extents.split(again, numbers[1]).first);
    num_gone += num_divisions(quotient) == 0 && others > 0 ? 1 : 0;
    for (std::int64_t a = 0; a < 5; ++a) {
      for (std::int64_t b = 0; b < 4; ++b) {
        const Values values = {{i, a}, {j, b}};
        const std::int64_t whole = value_of(index, values) + numbers[2] * numbers[0];
        ASSERT_EQ(value_of(quotient, values), floor_of(whole, numbers[1]));
        ASSERT_EQ(value_of(rest, values), whole - numbers[1] * floor_of(whole, numbers[1]));
        ASSERT_TRUE(!arithmetic.is_at_least(rest, 1) || value_of(rest, values) >= 1);
        ASSERT_TRUE(!arithmetic.is_below(quotient, 1) || value_of(quotient, values) < 1);
      }
    }
  }
  EXPECT_GT(num_gone, 20);
}

}  // namespace index_arithmetic_test
}  // namespace graphnet::tvm
