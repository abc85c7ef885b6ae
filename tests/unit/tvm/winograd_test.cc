// SPDX-License-Identifier: MIT
#include "tvm_plugin/winograd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "lowering/ir/graph_emitter.h"
#include "lowering/ir/interpret.h"
#include "support/counted_arrays.h"

namespace graphnet::tvm {
namespace winograd_test {

namespace ir = lowering::ir;
using lowering::Shape;
using lowering::Type;

std::vector<float> floats(const ir::Array& array) {
  std::vector<float> numbers;
  for (const auto& element : array.elements) numbers.push_back(static_cast<float>(element.real()));
  return numbers;
}

/// Result of one operation on an array, as the interpreter defines it.
std::vector<float> defined(const ir::Operation& operation, const ir::Array& x) {
  ir::GraphEmitter emitter(true);
  const lowering::Tensor in = emitter.parameter(ir::ParameterSource::kInput, 0, x.type);
  const ir::Graph graph = emitter.finish(emitter.add(operation, {in}));
  ir::Arguments arguments;
  arguments.inputs.push_back(x);
  return floats(ir::interpret(graph, arguments)[0]);
}

void expect_near(const std::vector<float>& found, const std::vector<float>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    ASSERT_NEAR(found[i], wanted[i], 1e-4 * std::max(1.0F, std::abs(wanted[i]))) << i;
  }
}

// Whole vectors of channels, some that fill none, edges on all sides, two images.
TEST(Winograd, InputsAreThoseOfTheInterpreter) {
  for (const std::int64_t channels : {3, 16, 37}) {
    const ir::Array x = tests::counted_array({Type::kF32, {2, 7, 9, channels}});
    const std::vector<float> wanted = defined(ir::WinogradInput{{1, 2}, {2, 3}}, x);
    std::vector<float> found(wanted.size());
    for (const TileRows rows : {TileRows{0, 3}, TileRows{3, 4}}) {
      winograd_input({2, 7, 9, channels, 2, 3}, 1, 2, rows, floats(x).data(), found.data());
    }
    expect_near(found, wanted);
  }
}

TEST(Winograd, KernelsAreThoseOfTheInterpreter) {
  for (const std::int64_t out : {4, 32, 37}) {
    const ir::Array kernel = tests::counted_array({Type::kF32, {out, 5, 3, 3}});
    const std::vector<float> wanted = defined(ir::WinogradKernel{16}, kernel);
    std::vector<float> found(wanted.size(), NAN);
    winograd_kernel(out, 5, 16, floats(kernel).data(), found.data());
    expect_near(found, wanted);
  }
}

TEST(Winograd, OutputsAreThoseOfTheInterpreter) {
  for (const std::int64_t channels : {3, 16, 37}) {
    const ir::Array sums = tests::counted_array({Type::kF32, {36, 12, channels}});
    const std::vector<float> wanted = defined(ir::WinogradOutput{{2, 7, 9}}, sums);
    std::vector<float> found(wanted.size(), NAN);
    for (const TileRows rows : {TileRows{0, 3}, TileRows{3, 4}}) {
      winograd_output({2, 7, 9, channels, 2, 3}, rows, floats(sums).data(), found.data());
    }
    expect_near(found, wanted);
  }
}

}  // namespace winograd_test
}  // namespace graphnet::tvm
