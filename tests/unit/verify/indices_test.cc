// SPDX-License-Identifier: MIT
#include "verify/indices.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/mentions.h"
#include "verify/compare.h"

namespace graphnet::verify {
namespace indices_test {

using base::DType;
using Indices = std::vector<std::int64_t>;
using tests::mentions;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

struct Values {
  std::vector<std::int64_t> shape;
  std::vector<float> data;
};

IndexJudgement judge(const Values& values, std::optional<std::size_t> dim, IndexKind kind,
                     const std::vector<std::int64_t>& shape, const Indices& eager,
                     const Indices& plugin) {
  IndexSource source;
  source.values = {DType::kFloat32, values.shape, values.data.data()};
  source.dim = dim;
  source.kind = kind;
  return judge_indices({DType::kInt64, shape, eager.data()}, {DType::kInt64, shape, plugin.data()},
                       source);
}

TEST(JudgeIndices, TiesOfArgmaxDoNotFail) {
  const Values values = {{2, 3}, {5, 1, 5, 2, 7, 7}};
  const auto tie = judge(values, 1, IndexKind::kOne, {2}, {0, 1}, {2, 2});
  EXPECT_TRUE(tie.accepted) << tie.message;
  EXPECT_EQ(tie.differing, 2);
  EXPECT_EQ(tie.worst_gap, 0);
  const auto keepdim = judge(values, 1, IndexKind::kOne, {2, 1}, {0, 1}, {2, 2});
  EXPECT_TRUE(keepdim.accepted);
  const auto wrong = judge(values, 1, IndexKind::kOne, {2}, {0, 1}, {2, 0});
  EXPECT_FALSE(wrong.accepted);
  EXPECT_EQ(wrong.worst_gap, 5);
  EXPECT_EQ(wrong.worst_index, 1);
  EXPECT_EQ(wrong.message, "selects 2 instead of 7");
}

TEST(JudgeIndices, NearTiesWithinTheDtypesLimitDoNotFail) {
  // The plugin computed these values itself and may have seen them the other way round.
  const Values values = {{4}, {1, 1.0005f, -1, 0}};
  EXPECT_TRUE(judge(values, 0, IndexKind::kOne, {}, {1}, {0}).accepted);
  const Values apart = {{4}, {1, 1.01f, -1, 0}};
  const auto result = judge(apart, 0, IndexKind::kOne, {}, {1}, {0});
  EXPECT_FALSE(result.accepted);
  EXPECT_NEAR(*result.worst_gap, 0.01, 1e-6);
}

TEST(JudgeIndices, IntegerValuesMustBeEqual) {
  const std::vector<std::int32_t> data = {1'000'000, 1'000'001, 1'000'001};
  IndexSource source;
  source.values = {DType::kInt32, {3}, data.data()};
  source.dim = 0;
  const Indices eager = {1};
  const auto accepted = [&](std::int64_t index) {
    return judge_indices({DType::kInt64, {}, eager.data()}, {DType::kInt64, {}, &index}, source)
        .accepted;
  };
  EXPECT_TRUE(accepted(2));
  EXPECT_FALSE(accepted(0));
}

TEST(JudgeIndices, SelectsAlongInnerDimensions) {
  // Shape [2, 3, 2]; dim 1: slices are (o, :, i).
  const Values values = {{2, 3, 2}, {9, 1, 9, 2, 0, 2, 4, 8, 3, 8, 4, 0}};
  const Indices eager = {0, 1, 0, 0};
  EXPECT_TRUE(judge(values, 1, IndexKind::kOne, {2, 2}, eager, {1, 2, 2, 1}).accepted);
  const auto wrong = judge(values, 1, IndexKind::kOne, {2, 2}, eager, {1, 2, 2, 2});
  EXPECT_FALSE(wrong.accepted);
  EXPECT_EQ(wrong.worst_index, 3);
  EXPECT_EQ(wrong.worst_gap, 8);
}

TEST(JudgeIndices, FlattenedArgmax) {
  const Values values = {{2, 2}, {1, 3, 3, 0}};
  EXPECT_TRUE(judge(values, std::nullopt, IndexKind::kOne, {}, {1}, {2}).accepted);
  EXPECT_FALSE(judge(values, std::nullopt, IndexKind::kOne, {}, {1}, {3}).accepted);
}

TEST(JudgeIndices, SortMustBeAPermutation) {
  const Values values = {{1, 4}, {2, 1, 2, 1}};
  const std::vector<std::int64_t> shape = {1, 4};
  EXPECT_TRUE(judge(values, 1, IndexKind::kOrdered, shape, {1, 3, 0, 2}, {3, 1, 2, 0}).accepted);
  const auto twice = judge(values, 1, IndexKind::kOrdered, shape, {1, 3, 0, 2}, {1, 1, 0, 2});
  EXPECT_FALSE(twice.accepted);
  EXPECT_TRUE(mentions(twice.message, {"twice"}));
  EXPECT_EQ(twice.worst_gap, std::nullopt);
  const auto order = judge(values, 1, IndexKind::kOrdered, shape, {1, 3, 0, 2}, {1, 0, 3, 2});
  EXPECT_FALSE(order.accepted);
  EXPECT_EQ(order.differing, 2);
}

TEST(JudgeIndices, UnorderedTopkComparesSets) {
  const Values values = {{5}, {1, 9, 8, 9, 7}};
  EXPECT_TRUE(judge(values, 0, IndexKind::kUnordered, {3}, {1, 3, 2}, {2, 1, 3}).accepted);
  EXPECT_FALSE(judge(values, 0, IndexKind::kOrdered, {3}, {1, 3, 2}, {2, 1, 3}).accepted);
  EXPECT_FALSE(judge(values, 0, IndexKind::kUnordered, {3}, {1, 3, 2}, {4, 1, 3}).accepted);
}

TEST(JudgeIndices, OutOfRangeIsRefused) {
  const Values values = {{3}, {1, 2, 3}};
  for (const std::int64_t index : {-1, 3}) {
    const auto result = judge(values, 0, IndexKind::kOne, {}, {2}, {index});
    EXPECT_FALSE(result.accepted);
    EXPECT_EQ(result.message, "index " + std::to_string(index) + " is outside 0 to 2");
  }
}

TEST(JudgeIndices, NaNAndInfinityMustMatch) {
  const Values values = {{4}, {kNaN, kNaN, kInf, 1}};
  EXPECT_TRUE(judge(values, 0, IndexKind::kOne, {}, {0}, {1}).accepted);
  for (const std::int64_t index : {2, 3}) {
    const auto result = judge(values, 0, IndexKind::kOne, {}, {0}, {index});
    EXPECT_FALSE(result.accepted);
    EXPECT_TRUE(std::isinf(*result.worst_gap));
  }
}

TEST(JudgeIndices, ARefusedGapOutranksALargerAllowedOne) {
  const Values values = {{2, 2}, {1e6f, 1e6f + 100, 0.5f, 1}};
  const auto result = judge(values, 1, IndexKind::kOne, {2}, {1, 1}, {0, 0});
  EXPECT_FALSE(result.accepted);
  EXPECT_EQ(result.worst_index, 1);
  EXPECT_EQ(result.worst_gap, 0.5);
}

TEST(JudgeIndices, ShapesMustFit) {
  const Values values = {{2, 3}, {1, 2, 3, 4, 5, 6}};
  EXPECT_FALSE(judge(values, 1, IndexKind::kOne, {3}, {0, 0, 0}, {0, 0, 0}).accepted);
  EXPECT_FALSE(judge(values, 2, IndexKind::kOne, {2}, {0, 0}, {0, 0}).accepted);
  EXPECT_FALSE(judge(values, 1, IndexKind::kOrdered, {2}, {0, 0}, {0, 0}).accepted);
  EXPECT_NE(judge(values, 0, IndexKind::kOne, {2}, {0, 0}, {0, 0}).message.find("shape [2, 3]"),
            std::string::npos);
}

TEST(CompareIndices, AreJudgedWhereASourceIsGiven) {
  const std::vector<float> data = {5, 1, 5};
  const Indices eager = {0};
  const Indices tie = {2};
  const Indices wrong = {1};
  OutputContext context;
  context.indices = IndexSource{{DType::kFloat32, {3}, data.data()}, 0, IndexKind::kOne};
  const auto compare = [&](const Indices& plugin, const std::vector<OutputContext>& contexts) {
    return compare_outputs({{DType::kInt64, {1}, eager.data()}},
                           {{DType::kInt64, {1}, plugin.data()}}, contexts);
  };
  EXPECT_EQ(compare(tie, {}).outcome, record::Outcome::kAccuracyMismatch)
      << "plain integers are exact";
  EXPECT_EQ(compare(tie, {context}).outcome, record::Outcome::kOk);
  EXPECT_FALSE(compare(tie, {context}).outputs[0].bit_equal);
  EXPECT_TRUE(mentions(
      compare(wrong, {context}).message,
      {"output 1 of 1 (int64 [1])", "1 indices", "index [0]: 1 instead of 0", "1 instead of 5"}));
}

}  // namespace indices_test
}  // namespace graphnet::verify
