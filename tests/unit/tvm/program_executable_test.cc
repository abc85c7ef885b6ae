// SPDX-License-Identifier: MIT
//
// Where tensors of a program lie: in the host's memory, in the program's own, in several places.
#include "tvm_plugin/program_executable.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>

#include "lowering/builder.h"
#include "lowering/ir/interpret.h"
#include "tvm_plugin/legalize.h"
#include "unit/tvm/one_input.h"
#include "unit/tvm/program_compiler_fixture.h"

namespace graphnet::tvm {
namespace program_executable_test {

constexpr std::int64_t kRows = 8;
constexpr std::int64_t kColumns = 32;
constexpr std::size_t kCount = kRows * kColumns;

/// A matrix of float32, aligned as a host's are.
struct Matrix {
  explicit Matrix(float value) {
    for (std::size_t i = 0; i < kCount; ++i) elements[i] = value + static_cast<float>(i % 5);
    tensor.data = elements.data();
    tensor.device = {kDLCPU, 0};
    tensor.ndim = 2;
    tensor.dtype = {kDLFloat, 32, 1};
    tensor.shape = shape.data();
  }
  Matrix(const Matrix&) = delete;  // its tensor points to itself
  bool holds(const Matrix& x, float (*of)(float)) const {
    for (std::size_t i = 0; i < kCount; ++i) {
      if (elements[i] != of(x.elements[i])) return false;
    }
    return true;
  }

  alignas(kBufferAlignment) std::array<float, kCount> elements = {};
  std::array<std::int64_t, 2> shape = {kRows, kColumns};
  DLTensor tensor = {};
};

void run(ProgramExecutable& executable, const std::vector<Matrix*>& inputs,
         const std::vector<Matrix*>& outputs, bool has_moved) {
  std::vector<const DLTensor*> in;
  std::vector<DLTensor*> out;
  for (const Matrix* const each : inputs) in.push_back(&each->tensor);
  for (Matrix* const each : outputs) out.push_back(&each->tensor);
  gn_run_args args = {};
  args.struct_size = sizeof(args);
  args.inputs = in.data();
  args.num_inputs = in.size();
  args.outputs = out.data();
  args.num_outputs = out.size();
  args.rebind = has_moved ? 1 : 0;
  executable.run(args);
}

void bind(ProgramExecutable& executable, const std::vector<Matrix*>& weights = {}) {
  std::vector<const DLTensor*> tensors;
  for (const Matrix* const each : weights) tensors.push_back(&each->tensor);
  gn_bind_args args = {};
  args.struct_size = sizeof(args);
  args.weights = tensors.data();
  args.num_weights = tensors.size();
  executable.bind(args);
}

class ProgramExecutableTest : public ProgramCompilerTest {};

// Two outputs are one value, which a later call reads from the host's memory; one is the input.
TEST_F(ProgramExecutableTest, OutputsLieWhereTheHostWantsThem) {
  ir::GraphEmitter emitter(true);
  lowering::Builder b(emitter);
  const lowering::Tensor x = one_input(emitter, {kRows, kColumns});
  const auto [sorted, indices] = emitter.sort(x, 1, false);  // a call of its own
  const lowering::Tensor twice = b.add(sorted, sorted);
  const CompiledProgram made =
      compiler().compile(legalize(emitter.finish({sorted, twice, sorted, x}), true).graph);
  ProgramExecutable& executable = *made.executable;
  bind(executable);
  Matrix input(0);
  std::array<Matrix, 8> outputs = {Matrix(100), Matrix(100), Matrix(100), Matrix(100),
                                   Matrix(100), Matrix(100), Matrix(100), Matrix(100)};
  for (const std::size_t first : {0, 4}) {
    std::vector<Matrix*> given;
    for (std::size_t i = 0; i < 4; ++i) given.push_back(&outputs[first + i]);
    run(executable, {&input}, given, true);
    for (std::size_t i = 0; i < 3; ++i) {
      const std::array<float, kCount>& y = given[i]->elements;
      EXPECT_TRUE(std::is_sorted(y.begin(), y.begin() + kColumns)) << first << " " << i;
      EXPECT_EQ(y[kColumns - 1], i == 1 ? 8 : 4) << first << " " << i;
    }
    EXPECT_EQ(given[3]->elements, input.elements);
  }
}

TEST_F(ProgramExecutableTest, WeightsAreReadAgainWhenTheyAreBoundAgain) {
  ir::GraphEmitter emitter(true);
  lowering::Builder b(emitter);
  const lowering::Tensor x = one_input(emitter, {kRows, kColumns});
  const lowering::Tensor w =
      emitter.parameter(ir::ParameterSource::kWeight, 0, {Type::kF32, {kRows, kColumns}});
  const lowering::Tensor prepared = b.multiply(w, w);
  const CompiledProgram made =
      compiler().compile(legalize(emitter.finish({b.add(x, prepared), prepared}), true).graph);
  ProgramExecutable& executable = *made.executable;
  Matrix input(0);
  input.elements.fill(0);
  Matrix weight(0);
  Matrix sum(100);
  Matrix square(100);
  for (const bool is_first : {true, false}) {
    if (!is_first) weight.elements = Matrix(3).elements;
    bind(executable, {&weight});
    run(executable, {&input}, {&sum, &square}, is_first);
    EXPECT_TRUE(square.holds(weight, [](float w_) { return w_ * w_; })) << is_first;
    EXPECT_EQ(sum.elements, square.elements) << is_first;
  }
}

// Calls between which memory is shared: each sorts what the one before made, so none is fused, and
// what two calls made long before is read at the end.
TEST_F(ProgramExecutableTest, ValuesThatShareMemoryAreThoseOfTheGraph) {
  ir::GraphEmitter emitter(true);
  lowering::Builder b(emitter);
  const lowering::Tensor x = one_input(emitter, {kRows, kColumns});
  std::vector<lowering::Tensor> kept;
  lowering::Tensor y = x;
  for (int i = 0; i < 6; ++i) {
    const auto [sorted, indices] = emitter.sort(b.multiply(y, i % 2 == 0 ? -1.5 : 0.5), 1, false);
    y = b.subtract(sorted, b.multiply(b.convert(indices, Type::kF32), 0.25));
    if (i < 2) kept.push_back(sorted);
  }
  y = b.add(y, b.subtract(kept[0], kept[1]));
  const ir::Graph graph = emitter.finish({y});
  const CompiledProgram made = compiler().compile(legalize(graph, true).graph);
  bind(*made.executable);
  Matrix input(1);
  Matrix output(100);
  for (const float factor : {1.0F, 3.0F, -2.0F}) {
    ir::Arguments arguments;
    arguments.inputs.push_back({{Type::kF32, {kRows, kColumns}}, {}});
    for (float& element : input.elements) {
      element *= factor;
      arguments.inputs[0].elements.push_back(element);
    }
    run(*made.executable, {&input}, {&output}, true);
    const auto expected = ir::interpret(graph, arguments)[0].elements;
    for (std::size_t i = 0; i < kCount; ++i) {
      ASSERT_NEAR(output.elements[i], static_cast<double>(expected[i].real()), 1e-4) << factor;
    }
  }
}

// A constant, a weight, and a value without elements.
TEST_F(ProgramExecutableTest, OutputsThatNoCallMakesAreCopied) {
  ir::GraphEmitter emitter(true);
  const Matrix known(7);
  const Shape shape = {kRows, kColumns};
  const lowering::Tensor c = emitter.constant(Type::kF32, shape, known.elements.data());
  const lowering::Tensor w =
      emitter.parameter(ir::ParameterSource::kWeight, 0, {Type::kF32, shape});
  const lowering::Tensor x =
      emitter.parameter(ir::ParameterSource::kInput, 0, {Type::kF32, {0, 4}});
  const CompiledProgram made = compiler().compile(legalize(emitter.finish({c, w, x}), true).graph);
  Matrix weight(3);
  Matrix empty(0);
  empty.shape = {0, 4};
  empty.tensor.data = nullptr;
  Matrix constant_out(100);
  Matrix weight_out(100);
  bind(*made.executable, {&weight});
  run(*made.executable, {&empty}, {&constant_out, &weight_out, &empty}, true);
  EXPECT_EQ(constant_out.elements, known.elements);
  EXPECT_EQ(weight_out.elements, weight.elements);
}

TEST_F(ProgramExecutableTest, RunWithoutBindIsRefused) {
  ir::GraphEmitter emitter(true);
  lowering::Builder b(emitter);
  const lowering::Tensor x = one_input(emitter, {kRows, kColumns});
  const CompiledProgram made =
      compiler().compile(legalize(emitter.finish({b.add(x, x)}), true).graph);
  Matrix input(1);
  Matrix output(100);
  EXPECT_NE(failure_of([&] { run(*made.executable, {&input}, {&output}, true); }).find("bind"),
            std::string::npos);
}

// A graph without kernels: nothing to compile, nothing to link.
TEST_F(ProgramExecutableTest, AGraphThatReturnsItsInputIsStoredToo) {
  ir::GraphEmitter emitter(true);
  const lowering::Tensor x = one_input(emitter, {kRows, kColumns});
  const ProgramCompiler with = compiler();
  const CompiledProgram made = with.compile(legalize(emitter.finish({x}), true).graph);
  const std::unique_ptr<ProgramExecutable> loaded = with.load(with.store(*made.executable));
  for (ProgramExecutable* const executable : {made.executable.get(), loaded.get()}) {
    Matrix input(1);
    Matrix output(100);
    bind(*executable);
    run(*executable, {&input}, {&output}, true);
    EXPECT_EQ(output.elements, input.elements);
  }
}

}  // namespace program_executable_test
}  // namespace graphnet::tvm
