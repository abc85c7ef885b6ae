// SPDX-License-Identifier: MIT
#include "lowering/ir/passes/fold.h"

#include <gtest/gtest.h>

#include "lowering/builder.h"
#include "lowering/ir/graph_emitter.h"
#include "lowering/ir/text.h"
#include "lowering/ir/verify.h"

namespace graphnet::lowering::ir {
namespace fold_test {

class FoldTest : public ::testing::Test {
 protected:
  Tensor input(const Shape& shape) {
    return emit_.parameter(ParameterSource::kInput, 0, {Type::kF32, shape});
  }
  std::string folded(const std::vector<Tensor>& outputs) {
    const Graph graph = fold(emit_.finish(outputs));
    verify(graph);
    return to_text(graph);
  }

  GraphEmitter emit_{/*rewrites=*/true};
  Builder b_{emit_};
};

TEST_F(FoldTest, ComputesWhatIsKnown) {
  const Tensor row = emit_.iota(Type::kI32, {2, 2}, 0);
  const Tensor column = emit_.iota(Type::kI32, {2, 2}, 1);
  EXPECT_EQ(folded({b_.compare(Comparison::kLe, column, row)}),
            "%0: i1[2,2] = constant bytes=01000101\nreturn %0\n");
}

TEST_F(FoldTest, WritesASplatWhereAllElementsAreEqual) {
  const Tensor two = b_.full(Type::kF32, {3}, 2);
  EXPECT_EQ(folded({emit_.unary(Unary::kSqrt, b_.multiply(two, two))}),
            "%0: f32[3] = splat value=2\nreturn %0\n");
}

TEST_F(FoldTest, KeepsTheSignOfZeroAndWholeIntegers) {
  const Tensor zero = b_.full(Type::kF32, {1}, 0);
  EXPECT_EQ(folded({emit_.unary(Unary::kNegate, zero)}),
            "%0: f32[1] = constant bytes=00000080\nreturn %0\n");
  GraphEmitter other(true);
  const std::int64_t large = (std::int64_t{1} << 60) + 1;
  const Tensor x = other.constant(Type::kI64, {1}, &large);
  EXPECT_EQ(to_text(fold(other.finish({other.binary(Binary::kAdd, x, x)}))),
            "%0: i64[1] = constant bytes=0200000000000020\nreturn %0\n");
}

TEST_F(FoldTest, RoundsToTheTypeOfEachValue) {
  const double third = 1.0 / 3;
  const Tensor x = b_.full(Type::kF16, {1}, third);
  EXPECT_EQ(folded({emit_.convert(x, Type::kF64)}),
            "%0: f64[1] = splat value=0.333251953125\nreturn %0\n");
}

TEST_F(FoldTest, LeavesWhatReadsAParameter) {
  const Tensor x = input({2});
  EXPECT_EQ(folded({b_.add(x, b_.add(b_.full(Type::kF32, {2}, 1), 2))}),
            "%0: f32[2] = input index=0\n%1: f32[2] = splat value=3\n"
            "%2: f32[2] = add(%0, %1)\nreturn %2\n");
}

TEST_F(FoldTest, LeavesWhatIsLarge) {
  const Tensor x = emit_.iota(Type::kF32, {kMostFoldedElements + 1}, 0);
  EXPECT_NE(folded({emit_.unary(Unary::kExp, x)}).find("exp("), std::string::npos);
}

TEST_F(FoldTest, LeavesWhatTheInterpreterDoesNotKnow) {
  const Tensor x = b_.full(Type::kC64, {2}, 1);
  EXPECT_NE(folded({emit_.unary(Unary::kTanh, x)}).find("tanh("), std::string::npos);
}

}  // namespace fold_test
}  // namespace graphnet::lowering::ir
