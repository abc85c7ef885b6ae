// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "lowering/ir/graph_emitter.h"
#include "lowering/ir/text.h"
#include "lowering/ir/verify.h"

namespace graphnet::lowering::ir {
namespace ir_text_test {

Tensor input(GraphEmitter& emitter, std::int64_t index, const Shape& shape) {
  return emitter.parameter(ParameterSource::kInput, index, {Type::kF32, shape});
}

/// Every operation once, with attributes that are no defaults.
Graph one_of_each() {
  GraphEmitter emit(/*rewrites=*/true);
  emit.begin_node("aten::foo", "model.py:7:9");
  const Tensor x = input(emit, 0, {2, 3, 4, 5});
  const Tensor w = emit.parameter(ParameterSource::kWeight, 2, {Type::kF32, {6, 3, 2, 2}});
  const std::int64_t numbers[] = {-1, 7};
  std::vector<Tensor> made = {
      emit.convolution(x, w, {{1, 2}, {0, 1}, {1, 0}, {1, 1}, {1, 2}, 1}),
      emit.dot(x, x, {{0}, {0}, {3}, {3}}),
      emit.reduce_window(Reduction::kMax, x,
                         {{1, 1, 2, 2}, {1, 1, 2, 1}, {1, 1, 1, 1}, {0, 0, 1, 0}, {0, 0, 0, 1}}),
      emit.pad(emit.slice(x, {0, 1, 0, 0}, {2, 3, 4, 5}, {1, 1, 2, 1}), -0.1, {0, 0, -1, 0},
               {0, 1, 0, 0}, {0, 0, 0, 1}),
      emit.concatenate({x, emit.reverse(x, {3})}, 1),
      emit.reduce(Reduction::kMaxNumber, emit.transpose(x, {3, 0, 1, 2}), {0, 2}),
      emit.convert(emit.reduce_index(false, x, 1).second, Type::kF16),
      emit.sort(x, 2, true).first,
      emit.fourier(Fourier::kRealForward, x, {4, 5}),
      emit.constant(Type::kI64, {2}, numbers),
      emit.select(emit.compare(Comparison::kLe, x, x), emit.splat(Type::kF32, x.shape, 1e-30), x),
      emit.broadcast(emit.iota(Type::kI32, {4}, 0), {4, 2}, {0}),
      emit.reshape(emit.binary(Binary::kPower, x, emit.unary(Unary::kErf, x)), {6, 20})};
  emit.begin_node("aten::bar", "");
  const Tensor starts = emit.iota(Type::kI64, {2, 1}, 0);
  made.push_back(emit.gather(x, starts, {1}, 2));
  made.push_back(emit.scatter(x, starts, {1}, emit.splat(Type::kF32, {2, 2, 4, 5}, 3), {}));
  made.push_back(
      emit.scatter(x, starts, {1}, emit.splat(Type::kF32, {2, 2, 4, 5}, 3), Reduction::kProduct));
  return emit.finish(made);
}

TEST(IrText, ReadsAsTheSameGraph) {
  const Graph graph = one_of_each();
  verify(graph);
  const std::string text = to_text(graph);
  EXPECT_EQ(to_text(parse(text)), text);
  for (const char* part :
       {" # aten::foo model.py:7:9\n", " # aten::bar\n", "weight index=2", "combine=product",
        "combine=replace", "kernel_dilation=[1,2]", "value=1e-30", "bytes=ffffffffffffffff07"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  }
}

TEST(IrText, KeepsNanAndInfinity) {
  const std::string text =
      "%0: f32[] = splat value=nan\n%1: f64[] = splat value=-inf\nreturn %0, %1\n";
  EXPECT_EQ(to_text(parse(text)), text);
}

struct Broken {
  const char* text;
  const char* where;  ///< in the message
};

TEST(IrText, RefusesWhatItWouldNotWrite) {
  const Broken rows[] = {
      {"%1: f32[2] = input index=0\nreturn %1\n", "line 1"},
      {"%0: q8[2] = input index=0\nreturn %0\n", "line 1"},
      {"%0: f32[2 = input index=0\nreturn %0\n", "line 1"},
      {"%0: f32[2] = input index=x\nreturn %0\n", "line 1"},
      {"%0: f32[2] = input number=0\nreturn %0\n", "line 1"},
      {"%0: f32[2] = input index=0\n%1: f32[2] = exponential(%0)\nreturn %1\n", "line 2"},
      {"%0: f32[2] = input index=0\n%1: f32[2] = exp(%7)\nreturn %1\n", "line 2"},
      {"%0: f32[2] = input index=0\n%1: f32[2] = reverse(%0) dims=[0\nreturn %1\n", "line 2"},
      {"%0: f32[2] = input index=0\nreturn %0\nreturn %0\n", "line 3"},
      {"%0: f32[2] = input index=0\n%1: f32[3] = exp(%0)\nreturn %1\n", "node 1 (exp)"},
      {"%0: f32[2] = input index=0\n%1: f32[2] = reverse(%0) dims=[1]\nreturn %1\n",
       "node 1 (reverse)"},
      {"%0: f32[2] = input index=0\n", "return"},
      {"", "return"},
  };
  for (const Broken& row : rows) {
    try {
      parse(row.text);
      ADD_FAILURE() << "was read: " << row.text;
    } catch (const LoweringError& error) {
      EXPECT_NE(std::string(error.what()).find(row.where), std::string::npos)
          << error.what() << "\n"
          << row.text;
    }
  }
}

}  // namespace ir_text_test
}  // namespace graphnet::lowering::ir
