// SPDX-License-Identifier: MIT
#include "tvm_plugin/winograd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
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

// 3.1e-6; with the points 1 and 2 it is 7.6e-6.
TEST(Winograd, ErrorsAreSmall) {
  constexpr std::int64_t kChannels = 64;
  constexpr std::int64_t kTiles = 100;
  std::mt19937 generator(1);
  std::normal_distribution<float> normal;
  std::vector<float> x(static_cast<std::size_t>(6 * (4 * kTiles + 2) * kChannels));
  std::vector<float> kernel(static_cast<std::size_t>(kChannels * 9));
  for (float& each : x) each = std::max(normal(generator), 0.0F);
  for (float& each : kernel) each = normal(generator);
  const WinogradImage in = {1, 6, 4 * kTiles + 2, kChannels, 1, kTiles};
  std::vector<float> tiles(static_cast<std::size_t>(36 * kTiles * kChannels));
  winograd_input(in, 0, 0, {0, 1}, x.data(), tiles.data());
  std::vector<float> panels(static_cast<std::size_t>(36 * kChannels));
  winograd_kernel(1, kChannels, 1, kernel.data(), panels.data());
  std::vector<float> sums(static_cast<std::size_t>(36 * kTiles), 0);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    for (std::size_t c = 0; c < kChannels; ++c) {
      sums[i] += tiles[i * kChannels + c] * panels[i / kTiles * kChannels + c];
    }
  }
  std::vector<float> found(static_cast<std::size_t>(4 * 4 * kTiles));
  winograd_output({1, 4, 4 * kTiles, 1, 1, kTiles}, {0, 1}, sums.data(), found.data());
  double worst = 0;
  double squares = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    double wanted = 0;
    for (std::size_t tap = 0; tap < 9; ++tap) {
      const std::size_t row = i / (4 * kTiles) + tap / 3;
      const std::size_t column = i % (4 * kTiles) + tap % 3;
      for (std::size_t c = 0; c < kChannels; ++c) {
        wanted += static_cast<double>(x[(row * (4 * kTiles + 2) + column) * kChannels + c]) *
                  kernel[c * 9 + tap];
      }
    }
    worst = std::max(worst, std::abs(found[i] - wanted));
    squares += wanted * wanted;
  }
  EXPECT_LT(worst / std::sqrt(squares / static_cast<double>(found.size())), 5e-6);
}

}  // namespace winograd_test
}  // namespace graphnet::tvm
