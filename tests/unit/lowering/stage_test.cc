// SPDX-License-Identifier: MIT
#include "lowering/ir/passes/stage.h"

#include <gtest/gtest.h>

#include "lowering/builder.h"
#include "lowering/ir/graph_emitter.h"
#include "lowering/ir/interpret.h"
#include "lowering/ir/text.h"
#include "lowering/ir/verify.h"
#include "support/counted_arrays.h"

namespace graphnet::lowering::ir {
namespace stage_test {

const TensorType kRow = {Type::kF32, {3}};
const TensorType kMatrix = {Type::kF32, {2, 3}};

/// A graph over an input [2,3] and a weight [3].
class StageTest : public ::testing::Test {
 protected:
  /// Both parts together compute what the whole does.
  StagedGraph split(const std::vector<Tensor>& outputs) {
    const Graph whole = emitter_.finish(outputs);
    StagedGraph staged = split_by_stage(whole);
    verify(staged.bind);
    verify(staged.call);
    const std::vector<Array> inputs = {tests::counted_array(kMatrix)};
    const std::vector<Array> weights = {tests::counted_array(kRow)};
    const std::vector<Array> bound = interpret(staged.bind, {{}, weights, {}});
    const std::vector<Array> wanted = interpret(whole, {inputs, weights, {}});
    const std::vector<Array> found = interpret(staged.call, {inputs, weights, bound});
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      EXPECT_EQ(found[i].elements, wanted[i].elements) << to_text(staged.call);
    }
    return staged;
  }

  GraphEmitter emitter_{/*rewrites=*/true};
  Builder b_{emitter_};
  Tensor input_ = emitter_.parameter(ParameterSource::kInput, 0, kMatrix);
  Tensor weight_ = emitter_.parameter(ParameterSource::kWeight, 0, kRow);
};

TEST_F(StageTest, ComputesInBindWhatDependsOnWeightsAlone) {
  const Tensor scale = b_.unary(Unary::kExp, b_.add(weight_, 1));
  const StagedGraph staged = split({b_.multiply(input_, scale)});
  EXPECT_EQ(to_text(staged.bind),
            "%0: f32[3] = weight index=0\n%1: f32[3] = splat value=1\n"
            "%2: f32[3] = add(%0, %1)\n%3: f32[3] = exp(%2)\nreturn %3\n");
  // The broadcast is cheaper to make than to read.
  EXPECT_EQ(to_text(staged.call),
            "%0: f32[2,3] = input index=0\n%1: f32[3] = bound index=0\n"
            "%2: f32[2,3] = broadcast(%1) dims=[1]\n%3: f32[2,3] = multiply(%0, %2)\nreturn %3\n");
}

TEST_F(StageTest, PassesWeightsThatTheCallReads) {
  const StagedGraph staged = split({b_.add(input_, weight_)});
  EXPECT_TRUE(staged.bind.outputs.empty());
  EXPECT_NE(to_text(staged.call).find("weight index=0"), std::string::npos);
}

TEST_F(StageTest, GivesTheCallBothResultsOfANode) {
  const auto sorted = emitter_.sort(b_.unary(Unary::kExp, weight_), 0, true);
  const Tensor indices = b_.convert(sorted.second, Type::kF32);
  const StagedGraph staged = split({b_.add(input_, sorted.first), b_.add(input_, indices)});
  EXPECT_EQ(staged.bind.outputs.size(), 2U);
}

TEST_F(StageTest, KeepsConstantsWhereTheyAreRead) {
  const Tensor numbers = emitter_.iota(Type::kF32, {3}, 0);
  const StagedGraph staged = split({b_.add(input_, b_.unary(Unary::kExp, numbers))});
  EXPECT_TRUE(staged.bind.outputs.empty());
}

TEST_F(StageTest, ReturnsWhatBindComputes) {
  const StagedGraph staged = split({b_.unary(Unary::kExp, weight_)});
  EXPECT_EQ(to_text(staged.call), "%0: f32[3] = bound index=0\nreturn %0\n");
}

}  // namespace stage_test
}  // namespace graphnet::lowering::ir
