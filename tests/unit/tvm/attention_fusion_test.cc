// SPDX-License-Identifier: MIT
#include "tvm_plugin/attention_fusion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lowering/builder.h"
#include "lowering/ir/graph_emitter.h"
#include "lowering/ir/interpret.h"
#include "lowering/ir/text.h"
#include "lowering/ir/verify.h"
#include "support/counted_arrays.h"
#include "tvm_plugin/legalize.h"

namespace graphnet::tvm {
namespace attention_fusion_test {

namespace ir = lowering::ir;
using lowering::Binary;
using lowering::Builder;
using lowering::Comparison;
using lowering::Shape;
using lowering::Tensor;
using lowering::Type;
using Step = ir::AttentionStep;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// What a case does with query, key and value [2, 3, 18 or 20, 16], and with a mask if it has one.
using Make = std::function<std::vector<Tensor>(Builder&, const std::vector<Tensor>&)>;

const Shape kQueries = {2, 3, 18, 16};
const Shape kKeys = {2, 3, 20, 16};

Tensor scores(Builder& b, const std::vector<Tensor>& in) {
  return b.multiply(b.matmul(in[0], b.swap(in[1], -1, -2)), 1 / 64.0);
}

/// The attention that a graph has after legalising; nullopt: none. Results are the same numbers.
std::optional<ir::Attention> check(const Make& make, std::vector<ir::TensorType> more = {},
                                   Type type = Type::kF32, const Forms& forms = {}) {
  ir::GraphEmitter emitter(true);
  Builder b(emitter);
  std::vector<ir::TensorType> types = {{type, kQueries}, {type, kKeys}, {type, kKeys}};
  types.insert(types.end(), more.begin(), more.end());
  std::vector<Tensor> in;
  ir::Arguments arguments;
  for (const ir::TensorType& each : types) {
    in.push_back(
        emitter.parameter(ir::ParameterSource::kInput, static_cast<std::int64_t>(in.size()), each));
    arguments.inputs.push_back(tests::counted_array(each));
  }
  emitter.begin_node("aten::softmax.int", "");
  const ir::Graph graph = emitter.finish(make(b, in));
  const ir::Graph legalized = legalize(graph, true, forms).graph;
  ir::verify(legalized);
  const std::string text = ir::to_text(legalized);
  EXPECT_EQ(ir::to_text(ir::parse(text)), text);
  const auto wanted = ir::interpret(graph, arguments)[0].elements;
  const auto found = ir::interpret(legalized, arguments)[0].elements;
  EXPECT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (std::isnan(wanted[i].real()) && std::isnan(found[i].real())) continue;
    EXPECT_LT(std::abs(found[i] - wanted[i]), type == Type::kF32 ? 1e-5L : 1e-1L) << i;
  }
  for (const ir::Node& node : legalized.nodes) {
    if (const auto* attention = std::get_if<ir::Attention>(&node.operation)) return *attention;
  }
  return std::nullopt;
}

Shape kinds(std::initializer_list<Step> steps) {
  Shape list;
  for (const Step step : steps) list.push_back(static_cast<std::int64_t>(step));
  return list;
}

TEST(AttentionFusion, FindsAttention) {
  const auto found = check([](Builder& b, const auto& in) {
    return std::vector{b.matmul(b.softmax(scores(b, in), 3), in[2])};
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->batch, (Shape{2, 3}));
  EXPECT_EQ(found->columns, 16);
  EXPECT_EQ(found->steps, kinds({Step::kMultiply}));
  EXPECT_FALSE(found->is_safe);
}

TEST(AttentionFusion, TakesMasksInTheExtentsThatTheyHave) {
  const Make added = [](Builder& b, const auto& in) {
    const Tensor moved = b.subtract(b.add(in[4], b.divide(scores(b, in), 4.0)), in[3]);
    return std::vector{b.matmul(b.softmax(moved, 3), in[2])};
  };
  auto found = check(added, {{Type::kF32, {2, 1, 18, 20}}, {Type::kF32, {20}}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->batch, (Shape{2, 3}));
  EXPECT_EQ(found->steps, kinds({Step::kMultiply, Step::kMultiply, Step::kAdd, Step::kSubtract}));
  const Make chosen = [](Builder& b, const auto& in) {
    const Tensor all = scores(b, in);
    const Tensor hidden = b.expand(in[3], all.shape);
    const Tensor seen = b.emit.select(hidden, b.full(Type::kF32, all.shape, -kInfinity), all);
    const Tensor weights = b.softmax(seen, 3);
    const Tensor kept = b.emit.select(hidden, b.full(Type::kF32, all.shape, 0), weights);
    return std::vector{b.matmul(kept, in[2])};
  };
  found = check(chosen, {{Type::kBool, {2, 1, 1, 20}}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->steps, kinds({Step::kMultiply, Step::kReplace, Step::kDrop}));
  EXPECT_EQ(found->fill, -kInfinity);
}

/// A softmax whose rows of minus infinities give 0: of `seen`, its maximum replaced or not.
Tensor safe_softmax(Builder& b, const Tensor& seen, bool replaces_maximum) {
  const auto replaced = [&](const Tensor& x, double from, double to) {
    return b.select(b.compare(Comparison::kEq, x, from), b.full(x.type, x.shape, to), x);
  };
  const Tensor largest = b.reduce(lowering::Reduction::kMaxNumber, seen, {3}, true);
  const Tensor shift = replaces_maximum ? replaced(largest, -kInfinity, 0) : largest;
  const Tensor weights = b.unary(lowering::Unary::kExp, b.subtract(seen, shift));
  const Tensor sum = b.reduce(lowering::Reduction::kSum, weights, {3}, true);
  return b.divide(weights, replaced(sum, 0, 1));
}

TEST(AttentionFusion, TakesSafeRowsWithBothOfTheirChoices) {
  for (const bool replaces_maximum : {true, false}) {
    const auto found = check(
        [&](Builder& b, const auto& in) {
          const Tensor all = scores(b, in);
          const Tensor seen =
              b.select(b.expand(in[3], all.shape), all, b.full(Type::kF32, all.shape, -kInfinity));
          return std::vector{b.matmul(safe_softmax(b, seen, replaces_maximum), in[2])};
        },
        {{Type::kBool, {2, 1, 18, 1}}});  // rows of minus infinities
    EXPECT_EQ(found.has_value(), replaces_maximum);
    EXPECT_TRUE(!found || found->is_safe);
  }
}

TEST(AttentionFusion, TakesAMaskFromTheLeft) {
  const auto found = check(
      [](Builder& b, const auto& in) {
        const Tensor all = scores(b, in);
        const Tensor hidden = b.expand(in[3], all.shape);
        const Tensor mask = b.select(hidden, b.full(Type::kF32, all.shape, 0),
                                     b.full(Type::kF32, all.shape, -1e30));
        const Tensor seen = b.select(hidden, all, b.full(Type::kF32, all.shape, -1e4));
        return std::vector{b.matmul(b.softmax(b.add(mask, seen), 3), in[2])};
      },
      {{Type::kBool, {2, 1, 1, 20}}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->fill, -1e4);
}

TEST(AttentionFusion, TakesACausalMask) {
  const auto found = check([](Builder& b, const auto& in) {
    const Tensor all = scores(b, in);
    const Tensor row = b.emit.iota(Type::kI32, all.shape, 2);
    const Tensor column = b.emit.iota(Type::kI32, all.shape, 3);
    const Tensor seen = b.select(b.compare(Comparison::kLe, column, row), all,
                                 b.full(Type::kF32, all.shape, -kInfinity));
    return std::vector{b.matmul(b.softmax(seen, 3), in[2])};
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->steps, kinds({Step::kMultiply, Step::kKeep}));
}

// Windows are split off the batch for a mask, and joined again.
TEST(AttentionFusion, TakesAnotherSplitOfTheBatch) {
  const auto found = check(
      [](Builder& b, const auto& in) {
        const Tensor first = b.add(scores(b, in), in[3]);
        const Tensor joined = b.reshape(first, {6, 18, 20});
        const Tensor weights = b.softmax(b.add(joined, in[4]), 2);
        return std::vector{b.matmul(b.reshape(weights, {2, 3, 18, 20}), in[2])};
      },
      {{Type::kF32, {3, 18, 20}}, {Type::kF32, {6, 1, 20}}});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->batch, (Shape{2, 3}));
}

TEST(AttentionFusion, LeavesWhatIsReadElsewhere) {
  EXPECT_FALSE(check([](Builder& b, const auto& in) {
    const Tensor weights = b.softmax(scores(b, in), 3);
    return std::vector{b.matmul(weights, in[2]), weights};
  }));
  EXPECT_FALSE(check([](Builder& b, const auto& in) {
    const Tensor all = scores(b, in);
    return std::vector{b.matmul(b.softmax(all, 3), in[2]), b.unary(lowering::Unary::kNegate, all)};
  }));
}

TEST(AttentionFusion, LeavesWhatIsNotAttention) {
  EXPECT_FALSE(check([](Builder& b, const auto& in) {
    return std::vector{b.matmul(b.softmax(scores(b, in), 2), in[2])};
  })) << "a softmax over queries";
  EXPECT_FALSE(check([](Builder& b, const auto& in) {
    return std::vector{b.matmul(scores(b, in), in[2])};
  })) << "no softmax";
  EXPECT_FALSE(check(
      [](Builder& b, const auto& in) { return std::vector{b.matmul(b.softmax(in[3], 3), in[2])}; },
      {{Type::kF32, {2, 3, 18, 20}}}))
      << "scores from elsewhere";
  EXPECT_FALSE(check([](Builder& b, const auto& in) {
    const Tensor moved = b.unary(lowering::Unary::kTanh, scores(b, in));
    return std::vector{b.matmul(b.softmax(moved, 3), in[2])};
  })) << "a step that the operation lacks";
  EXPECT_FALSE(check([](Builder& b, const auto& in) {
    const Tensor all = scores(b, in);
    const Tensor moved = b.subtract(all, b.reduce(lowering::Reduction::kMaxNumber, all, {3}, true));
    const Tensor weights =
        b.select(b.compare(Comparison::kLt, moved, -1.0), b.full(Type::kF32, moved.shape, 0),
                 b.unary(lowering::Unary::kExp, moved));
    const Tensor sum = b.reduce(lowering::Reduction::kSum, weights, {3}, true);
    return std::vector{b.matmul(b.divide(weights, sum), in[2])};
  })) << "weights that are 0 where they are not subnormal";
}

// Panels of values are then half a register of AVX-512.
TEST(AttentionFusion, TakesHeadsOfEightOverManyKeys) {
  const auto is_fused = [](std::int64_t rows, std::int64_t keys, std::int64_t columns,
                           const VectorUnit& unit) {
    ir::GraphEmitter emitter(true);
    Builder b(emitter);
    const auto input = [&](std::int64_t index, const Shape& shape) {
      return emitter.parameter(ir::ParameterSource::kInput, index, {Type::kF32, shape});
    };
    const std::vector<Tensor> in = {input(0, {2, rows, 8}), input(1, {2, keys, 8}),
                                    input(2, {2, keys, columns})};
    const ir::Graph graph = emitter.finish({b.matmul(b.softmax(scores(b, in), 2), in[2])});
    const ir::Graph legalized = legalize(graph, true, {unit}).graph;
    return std::any_of(legalized.nodes.begin(), legalized.nodes.end(), [](const ir::Node& node) {
      return std::holds_alternative<ir::Attention>(node.operation);
    });
  };
  EXPECT_TRUE(is_fused(130, 128, 8, kAvx512));
  EXPECT_FALSE(is_fused(130, 127, 8, kAvx512));
  EXPECT_FALSE(is_fused(100, 128, 8, kAvx512));
  EXPECT_FALSE(is_fused(130, 128, 7, kAvx512));
  EXPECT_TRUE(is_fused(20, 20, 8, kAvx2));
}

TEST(AttentionFusion, LeavesOtherTypesAndWhatItIsTold) {
  const Make plain = [](Builder& b, const auto& in) {
    const Tensor weights = b.softmax(scores(b, in), 3);
    return std::vector{b.matmul(b.convert(weights, in[2].type), in[2])};
  };
  EXPECT_FALSE(check(plain, {}, Type::kF16));
  EXPECT_FALSE(check(plain, {}, Type::kF64));
  EXPECT_FALSE(check(plain, {}, Type::kF32, {kAvx2, true, false}));
  EXPECT_TRUE(check(plain, {}, Type::kF32, {kAvx2, true, true}));
}

}  // namespace attention_fusion_test
}  // namespace graphnet::tvm
