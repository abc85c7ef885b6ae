// SPDX-License-Identifier: MIT
//
// Graphs: made, verified, computed, handed to an emitter.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "lowering/builder.h"
#include "lowering/ir/graph_emitter.h"
#include "lowering/ir/interpret.h"
#include "lowering/ir/passes/layout.h"
#include "lowering/ir/replay.h"
#include "lowering/ir/text.h"
#include "lowering/ir/verify.h"

namespace graphnet::lowering::ir {
namespace ir_graph_test {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

Tensor input(GraphEmitter& emit, std::int64_t index, const Shape& shape, Type type = Type::kF32) {
  return emit.parameter(ParameterSource::kInput, index, {type, shape});
}

Array floats(const Shape& shape, const std::vector<double>& elements) {
  Array array = {{Type::kF32, shape}, {}};
  for (const double each : elements) array.elements.emplace_back(each);
  return array;
}

std::vector<double> numbers_of(const Array& array) {
  std::vector<double> numbers;
  for (const Number& each : array.elements) numbers.push_back(static_cast<double>(each.real()));
  return numbers;
}

TEST(GraphEmitter, EqualNodesExistOnce) {
  GraphEmitter emit(true);
  const Tensor x = input(emit, 0, {2});
  const Tensor once = emit.unary(Unary::kExp, x);
  EXPECT_EQ(emit.unary(Unary::kExp, x).id, once.id);
  EXPECT_NE(emit.unary(Unary::kLog, x).id, once.id);
  EXPECT_NE(emit.splat(Type::kF32, {2}, 0.0).id, emit.splat(Type::kF32, {2}, -0.0).id);
  const float numbers[] = {1, 2};
  const float others[] = {1, 3};
  const Tensor constant = emit.constant(Type::kF32, {2}, numbers);
  EXPECT_EQ(emit.constant(Type::kF32, {2}, numbers).id, constant.id);
  EXPECT_NE(emit.constant(Type::kF32, {2}, others).id, constant.id);
  EXPECT_NE(emit.constant(Type::kF32, {1, 2}, numbers).id, constant.id);
}

// Of large ones only parts tell where an equal one may be.
TEST(GraphEmitter, EqualLargeConstantsExistOnce) {
  GraphEmitter emit(true);
  std::vector<float> numbers(5000, 1);
  const Tensor constant = emit.constant(Type::kF32, {5000}, numbers.data());
  EXPECT_EQ(emit.constant(Type::kF32, {5000}, numbers.data()).id, constant.id);
  for (const std::size_t at : {0, 17, 2500, 4999}) {
    std::vector<float> other = numbers;
    other[at] = 2;
    EXPECT_NE(emit.constant(Type::kF32, {5000}, other.data()).id, constant.id) << at;
  }
}

TEST(GraphEmitter, RewritesShareTheElementsOfConstants) {
  GraphEmitter emit(true);
  const float numbers[] = {1, 2};
  const Tensor constant = emit.constant(Type::kF32, {2}, numbers);
  const Graph graph = emit.finish({emit.binary(Binary::kAdd, input(emit, 0, {2}), constant)});
  const auto elements = [](const Graph& of) {
    for (const Node& node : of.nodes) {
      if (const auto* each = std::get_if<Constant>(&node.operation)) return each->bytes.data();
    }
    return static_cast<const std::byte*>(nullptr);
  };
  LayoutEmitter rewritten(true);
  const Built built = rewrite(graph, rewritten);
  ASSERT_NE(elements(graph), nullptr);
  EXPECT_EQ(elements(built.graph), elements(graph));
}

// As models write a transposition: torch.cat(torch.split(x, 2, 1), 2).
TEST(GraphEmitter, SlicesPutTogetherAnewAreATransposition) {
  const Shape shape = {2, 4, 3};
  std::vector<double> numbers;
  for (int i = 0; i < 24; ++i) numbers.push_back(i);
  const auto joined = [&](bool rewrites, const std::vector<std::int64_t>& begins,
                          std::int64_t extent, std::int64_t dim) {
    GraphEmitter emit(rewrites);
    const Tensor x = input(emit, 0, shape);
    std::vector<Tensor> parts;
    for (const std::int64_t begin : begins) {
      parts.push_back(emit.slice(x, {0, begin, 0}, {2, begin + extent, 3}, {1, 1, 1}));
    }
    return emit.finish({emit.concatenate(parts, dim)});
  };
  const auto concatenates = [](const Graph& graph) {
    const std::string text = to_text(graph);
    return text.find("concatenate") != text.npos;
  };
  for (const std::int64_t extent : {1, 2}) {
    const auto begins =
        extent == 1 ? std::vector<std::int64_t>{0, 1, 2, 3} : std::vector<std::int64_t>{0, 2};
    for (const std::int64_t dim : {0, 1, 2}) {
      const Graph graph = joined(true, begins, extent, dim);
      const Graph plain = joined(false, begins, extent, dim);
      EXPECT_FALSE(concatenates(graph));
      EXPECT_TRUE(concatenates(plain));
      const Arguments arguments = {{floats(shape, numbers)}, {}};
      const Array expected = interpret(plain, arguments)[0];
      EXPECT_EQ(numbers_of(interpret(graph, arguments)[0]), numbers_of(expected)) << dim;
      EXPECT_EQ(graph.type(graph.outputs[0]), expected.type);
    }
  }
  GraphEmitter emit(true);
  const Tensor single = emit.slice(input(emit, 0, {1, 2}), {0, 0}, {1, 2}, {2, 1});
  EXPECT_TRUE(concatenates(emit.finish({emit.concatenate({single, single}, 0)}))) << "no parts";
  EXPECT_TRUE(concatenates(joined(true, {0, 2, 1, 3}, 1, 0))) << "another order";
  EXPECT_TRUE(concatenates(joined(true, {0, 1, 2}, 1, 0))) << "not all";
  EXPECT_TRUE(concatenates(joined(true, {0, 1, 2}, 2, 0))) << "they overlap";
}

TEST(GraphEmitter, KeepsWhatOutputsNeed) {
  GraphEmitter emit(true);
  const Tensor unused = input(emit, 0, {2});
  const Tensor x = input(emit, 1, {2});
  emit.unary(Unary::kLog, unused);
  const Tensor twice = emit.binary(Binary::kAdd, x, x);
  const Graph graph = emit.finish({twice, x, twice});
  verify(graph);
  EXPECT_EQ(to_text(graph),
            "%0: f32[2] = input index=1\n%1: f32[2] = add(%0, %0)\nreturn %1, %0, %1\n");
}

TEST(GraphEmitter, KnowsWhatWeightsDecide) {
  GraphEmitter emit(true);
  const Tensor x = input(emit, 0, {2});
  const Tensor w = emit.parameter(ParameterSource::kWeight, 0, {Type::kF32, {2}});
  EXPECT_TRUE(emit.is_bound(emit.binary(Binary::kAdd, w, emit.splat(Type::kF32, {2}, 1))));
  EXPECT_FALSE(emit.is_bound(emit.binary(Binary::kAdd, w, x)));
}

TEST(GraphEmitter, RefusesOperandsThatDoNotFit) {
  GraphEmitter emit(true);
  const Tensor x = input(emit, 0, {2});
  const Tensor y = input(emit, 1, {3});
  EXPECT_THROW(emit.binary(Binary::kAdd, x, y), LoweringError);
  EXPECT_THROW(emit.reshape(x, {3}), LoweringError);
  EXPECT_THROW(emit.slice(x, {0}, {3}, {1}), LoweringError);
  EXPECT_THROW(emit.dot(x, y, {{}, {}, {0}, {0}}), LoweringError);
  EXPECT_THROW(emit.unary(Unary::kReal, x), LoweringError);
}

TEST(GraphEmitter, RefusesAttentionThatDoesNotFit) {
  GraphEmitter emit(true);
  const Tensor queries = input(emit, 0, {6, 5, 8});
  const Tensor keys = input(emit, 1, {6, 2, 8, 16});
  const Tensor values = input(emit, 2, {6, 1, 20, 16});
  const Tensor mask = input(emit, 3, {2, 1, 1, 20});
  const auto attention = [&](const Shape& batch, std::int64_t columns, AttentionStep step) {
    return emit.add(Attention{batch, columns, {static_cast<std::int64_t>(step)}},
                    {queries, keys, values, mask})[0];
  };
  EXPECT_EQ(attention({2, 3}, 12, AttentionStep::kAdd).shape, (Shape{6, 5, 12}));
  EXPECT_THROW(attention({3, 2}, 12, AttentionStep::kAdd), LoweringError) << "extents of the mask";
  EXPECT_THROW(attention({2, 4}, 12, AttentionStep::kAdd), LoweringError) << "another batch";
  EXPECT_THROW(attention({2, 3}, 17, AttentionStep::kAdd), LoweringError) << "one panel of 16";
  EXPECT_THROW(attention({2, 3}, 12, AttentionStep::kKeep), LoweringError) << "no condition";
}

// As add_parameters() leaves it.
TEST(GraphEmitter, RefusesAnOperandOfAnUnknownElementType) {
  GraphEmitter emit(true);
  const Tensor unknown = {-1, Type::kF32, {2}};
  EXPECT_THROW(emit.reshape(unknown, {1, 2}), LoweringError);
  EXPECT_THROW(emit.broadcast(unknown, {3, 2}, {1}), LoweringError);
  EXPECT_THROW(emit.transpose({-1, Type::kF32, {2, 1}}, {1, 0}), LoweringError);
}

TEST(GraphEmitter, LeavesOutWhatMovesNothing) {
  GraphEmitter emit(true);
  const Tensor x = input(emit, 0, {2, 3});
  EXPECT_EQ(emit.reshape(emit.reshape(x, {6}), {2, 3}).id, x.id);
  EXPECT_EQ(emit.transpose(emit.transpose(x, {1, 0}), {1, 0}).id, x.id);
  EXPECT_EQ(emit.broadcast(x, {2, 3}, {0, 1}).id, x.id);
  EXPECT_EQ(emit.slice(x, {0, 0}, {2, 3}, {1, 1}).id, x.id);
  EXPECT_EQ(emit.pad(x, 1, {0, 0}, {0, 0}, {0, 0}).id, x.id);
  EXPECT_EQ(emit.concatenate({x, emit.splat(Type::kF32, {0, 3}, 0)}, 0).id, x.id);
  const Tensor ones = emit.splat(Type::kF32, {6}, 1);
  EXPECT_EQ(emit.reshape(ones, {2, 3}).id, emit.splat(Type::kF32, {2, 3}, 1).id);
}

TEST(Verify, FindsWhatReadersRelyOn) {
  GraphEmitter emit(true);
  const Tensor x = input(emit, 0, {2});
  const Graph graph = emit.finish({emit.unary(Unary::kExp, x)});
  const auto is_refused = [](const Graph& broken) {
    try {
      verify(broken);
      return false;
    } catch (const LoweringError&) {
      return true;
    }
  };
  EXPECT_FALSE(is_refused(graph));
  Graph broken = graph;
  broken.nodes[1].operands = {1};
  EXPECT_TRUE(is_refused(broken)) << "reads its own result";
  broken = graph;
  std::swap(broken.nodes[0], broken.nodes[1]);
  EXPECT_TRUE(is_refused(broken)) << "reads before it is made";
  broken = graph;
  broken.values[1].type.shape = {3};
  EXPECT_TRUE(is_refused(broken)) << "a type that is not inferred";
  broken = graph;
  broken.outputs = {2};
  EXPECT_TRUE(is_refused(broken)) << "an output that is not there";
  broken = graph;
  broken.nodes[1].results = {0};
  EXPECT_TRUE(is_refused(broken)) << "assigned twice";
  broken = graph;
  broken.nodes[1].origin = 5;
  EXPECT_TRUE(is_refused(broken)) << "an unknown origin";
}

TEST(Interpret, RoundsEveryResult) {
  GraphEmitter emit(true);
  const Tensor x = input(emit, 0, {3});
  const Tensor half = emit.convert(x, Type::kF16);
  const Tensor brain = emit.convert(x, Type::kBF16);
  const Tensor small = emit.convert(x, Type::kI8);
  const Graph graph = emit.finish({half, brain, small, emit.binary(Binary::kAdd, small, small)});
  const std::vector<Array> outputs = interpret(graph, {{floats({3}, {1.0009765, 70000, -100.9})}});
  EXPECT_EQ(numbers_of(outputs[0]),
            (std::vector<double>{1.0009765625, std::numeric_limits<double>::infinity(), -100.875}));
  EXPECT_EQ(numbers_of(outputs[1]), (std::vector<double>{1, 70144, -101}));
  EXPECT_EQ(numbers_of(outputs[2]), (std::vector<double>{1, 127, -100}));
  EXPECT_EQ(numbers_of(outputs[3]), (std::vector<double>{2, -2, 56}));
}

TEST(Interpret, NanIsTheLargestOfASortAndBeyondBothEnds) {
  GraphEmitter emit(true);
  const Tensor x = input(emit, 0, {4});
  const auto [values, order] = emit.sort(x, 0, /*descending=*/false);
  const auto [low, where] = emit.reduce_index(/*largest=*/false, x, 0);
  const Graph graph = emit.finish({order, where, emit.reduce(Reduction::kMax, x, {0})});
  const std::vector<Array> outputs = interpret(graph, {{floats({4}, {2, kNan, 1, 2})}});
  EXPECT_EQ(numbers_of(outputs[0]), (std::vector<double>{2, 0, 3, 1}));
  EXPECT_EQ(numbers_of(outputs[1]), (std::vector<double>{1}));
  EXPECT_TRUE(std::isnan(numbers_of(outputs[2])[0]));
}

TEST(Interpret, ReadsAndWritesEveryElementType) {
  for (int i = 0; i <= static_cast<int>(Type::kC128); ++i) {
    const TensorType type = {static_cast<Type>(i), {2}};
    // 0x3f80 is one in bfloat16, 0x3f803f80 nearly that in float32; bools are 0 or 1.
    std::vector<unsigned char> bytes(static_cast<std::size_t>(2 * bytes_of(type.type)));
    for (std::size_t b = 0; b < bytes.size(); ++b) bytes[b] = b % 2 == 0 ? 0x80 : 0x3f;
    if (type.type == Type::kBool) bytes = {1, 0};
    std::vector<unsigned char> written(bytes.size());
    write_array(read_array(type, bytes.data()), written.data());
    EXPECT_EQ(written, bytes) << type_name(type.type);
  }
}

/// Has no exponential; complex inputs cannot be made.
class Picky final : public Emitter {
#define GN_REFUSE \
  { throw LoweringError("not here"); }

 public:
  Tensor constant(Type, const Shape&, const SharedBytes&) override GN_REFUSE Tensor
      splat(Type type, const Shape& shape, double) override {
    return {0, type, shape};
  }
  Tensor iota(Type, const Shape&, std::int64_t) override GN_REFUSE Tensor
      convert(const Tensor&, Type) override GN_REFUSE Tensor
      unary(Unary kind, const Tensor& x) override {
    if (kind == Unary::kExp) throw LoweringError("no exponential");
    return x;
  }
  Tensor binary(Binary, const Tensor& a, const Tensor&) override {
    return a;
  }
  Tensor compare(Comparison, const Tensor&, const Tensor&) override GN_REFUSE Tensor
      select(const Tensor&, const Tensor&, const Tensor&) override GN_REFUSE Tensor
      broadcast(const Tensor&, const Shape&, const Shape&) override GN_REFUSE Tensor
      reshape(const Tensor&, const Shape&) override GN_REFUSE Tensor
      transpose(const Tensor&, const Shape&) override GN_REFUSE Tensor
      slice(const Tensor&, const Shape&, const Shape&, const Shape&) override GN_REFUSE Tensor
      pad(const Tensor&, double, const Shape&, const Shape&, const Shape&) override GN_REFUSE Tensor
      concatenate(const std::vector<Tensor>&, std::int64_t) override GN_REFUSE Tensor
      reverse(const Tensor&, const Shape&) override GN_REFUSE Tensor
      reduce(Reduction, const Tensor&, const Shape&) override GN_REFUSE
      std::pair<Tensor, Tensor> reduce_index(bool, const Tensor&,
                                             std::int64_t) override GN_REFUSE Tensor
      reduce_window(Reduction, const Tensor&, const Window&) override GN_REFUSE Tensor
      dot(const Tensor&, const Tensor&, const Contraction&) override GN_REFUSE Tensor
      convolution(const Tensor&, const Tensor&,
                  const ConvolutionAttributes&) override GN_REFUSE Tensor
      gather(const Tensor&, const Tensor&, const Shape&, std::int64_t) override GN_REFUSE Tensor
      scatter(const Tensor&, const Tensor&, const Shape&, const Tensor&, std::optional<Reduction>)
          override GN_REFUSE std::pair<Tensor, Tensor> sort(const Tensor&, std::int64_t,
                                                            bool) override GN_REFUSE Tensor
      fourier(Fourier, const Tensor&, const Shape&) override GN_REFUSE
#undef GN_REFUSE
};

TEST(Replay, NamesEveryOperatorThatACompilerCannotExpressOnce) {
  GraphEmitter emit(true);
  const Tensor x = input(emit, 0, {2});
  emit.begin_node("aten::exp", "model.py:4:5");
  const Tensor e = emit.unary(Unary::kExp, x);
  emit.begin_node("aten::log", "model.py:5:5");
  const Tensor log = emit.unary(Unary::kLog, e);  // lacks only the result of the failed one
  emit.begin_node("aten::silu", "model.py:6:5");
  const Tensor other = emit.unary(Unary::kExp, emit.unary(Unary::kNegate, x));
  const Graph graph = emit.finish({log, other});
  Picky picky;
  const auto parameter = [](const Parameter&, const TensorType& type) {
    return Tensor{0, type.type, type.shape};
  };
  const Lowered lowered = replay(graph, picky, parameter);
  EXPECT_TRUE(lowered.outputs.empty());
  ASSERT_EQ(lowered.failures.size(), 2U);
  EXPECT_EQ(lowered.failures[0].op, "aten::exp");
  EXPECT_EQ(lowered.failures[0].where, "model.py:4:5");
  EXPECT_EQ(lowered.failures[1].op, "aten::silu");
}

TEST(Replay, AParameterThatCannotBeFailsWhereItIsRead) {
  GraphEmitter emit(true);
  const Tensor x = input(emit, 0, {2});
  emit.begin_node("aten::add.Tensor", "model.py:4:5");
  const Graph graph = emit.finish({emit.binary(Binary::kAdd, x, x)});
  Picky picky;
  const auto parameter = [](const Parameter&, const TensorType&) -> Tensor {
    throw LoweringError("no such elements");
  };
  const Lowered lowered = replay(graph, picky, parameter);
  ASSERT_EQ(lowered.failures.size(), 1U);
  EXPECT_EQ(lowered.failures[0].op, "aten::add.Tensor");
  EXPECT_EQ(lowered.failures[0].reason, "no such elements");
}

}  // namespace ir_graph_test
}  // namespace graphnet::lowering::ir
