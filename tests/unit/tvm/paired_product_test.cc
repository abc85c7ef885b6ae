// SPDX-License-Identifier: MIT
#include "tvm_plugin/paired_product.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "lowering/builder.h"
#include "lowering/ir/graph_emitter.h"
#include "lowering/ir/interpret.h"
#include "support/counted_arrays.h"
#include "tvm_plugin/legalize.h"
#include "unit/tvm/one_input.h"
#include "unit/tvm/program_compiler_fixture.h"

namespace graphnet::tvm {
namespace paired_product_test {

using lowering::Type;

std::uint16_t bits_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof(bits));
  return static_cast<std::uint16_t>(bits >> 16);
}

/// A product of small integers, whose sums are exact in any order. Rows lie as a host's tensors do.
struct Operands {
  Operands(std::int64_t batch, std::int64_t rows, std::int64_t depth, std::int64_t columns) {
    product = {batch, rows, depth, columns, round_up(depth, 2 * kPairsOfTile) / 2};
    left_type = {Type::kBF16, {batch, rows, depth}};
    panels_type = {Type::kBF16, {batch, product.num_panels(), product.pairs, kPairedColumns, 2}};
    fill(left_type, left);
    fill(panels_type, panels);
    // As padding has them.
    for (std::size_t i = 0; i < panels.size(); ++i) {
      const auto at = static_cast<std::int64_t>(i);
      const std::int64_t k = at / (2 * kPairedColumns) % product.pairs * 2 + at % 2;
      if (k >= depth) panels[i] = 0;
    }
  }
  static void fill(const ir::TensorType& type, std::vector<std::uint16_t>& to) {
    for (const auto& each : tests::counted_array(type).elements) {
      to.push_back(bits_of(static_cast<float>(each.real())));
    }
  }
  using Run = void (*)(const PairedProduct&, std::int64_t, std::int64_t);
  /// In two halves, as two threads have them.
  std::vector<float> result(Run run) {
    const auto count = static_cast<std::size_t>(product.batch * product.rows * product.columns);
    std::vector<float> out(count, NAN);
    product.left = left.data();
    product.panels = panels.data();
    product.out = out.data();
    const std::int64_t parts = num_paired_parts(product);
    run(product, parts / 2, parts);
    run(product, 0, parts / 2);
    return out;
  }

  PairedProduct product;
  ir::TensorType left_type;
  ir::TensorType panels_type;
  std::vector<std::uint16_t> left;
  std::vector<std::uint16_t> panels;
};

ir::Array array_of(const ir::TensorType& type, const std::vector<std::uint16_t>& bits) {
  ir::Array array = {type, {}};
  for (const std::uint16_t each : bits) array.elements.emplace_back(from_bf16(each));
  return array;
}

TEST(PairedProduct, IsThatOfTheInterpreter) {
  Operands small(2, 18, 35, 21);
  ir::GraphEmitter emitter(true);
  const lowering::Tensor left = emitter.parameter(ir::ParameterSource::kInput, 0, small.left_type);
  const lowering::Tensor panels =
      emitter.parameter(ir::ParameterSource::kInput, 1, small.panels_type);
  const ir::Graph graph =
      emitter.finish(emitter.add(ir::PairedDot{small.product.columns}, {left, panels}));
  const ir::Arguments arguments = {
      {array_of(small.left_type, small.left), array_of(small.panels_type, small.panels)}};
  std::vector<float> wanted;
  for (const auto& each : ir::interpret(graph, arguments)[0].elements) {
    wanted.push_back(static_cast<float>(each.real()));
  }
  EXPECT_EQ(small.result(run_paired_product_plainly), wanted);
  if (has_paired_vectors()) {
    EXPECT_EQ(small.result(run_paired_product_by_vectors), wanted);
  }
  EXPECT_EQ(small.result(run_paired_product), wanted);
}

// One row; parts of tiles on every side; one panel more than whole parts; several blocks of the
// depth, sets of parts, and rows behind the last whole block.
void expect_the_same(Operands::Run run) {
  const lowering::Shape cases[] = {{1, 1, 1, 1},     {1, 1, 64, 32},    {3, 16, 32, 16},
                                   {1, 33, 31, 33},  {2, 5, 100, 48},   {1, 70, 1100, 40},
                                   {1, 3, 40, 1100}, {2, 40, 70, 1100}, {1, 49, 1040, 1050}};
  for (const lowering::Shape& each : cases) {
    Operands operands(each[0], each[1], each[2], each[3]);
    EXPECT_EQ(operands.result(run), operands.result(run_paired_product_plainly))
        << each[1] << " x " << each[2] << " x " << each[3];
  }
}

TEST(PairedProduct, IsTheSameWithTheMatrixUnit) {
  if (!has_matrix_unit()) GTEST_SKIP() << "this processor has no AMX-BF16";
  expect_the_same(run_paired_product);
}

TEST(PairedProduct, IsTheSameByVectors) {
  if (!has_paired_vectors()) GTEST_SKIP() << "this processor has no AVX512-BF16";
  expect_the_same(run_paired_product_by_vectors);
}

// Neither rows nor steps of the depth that a tile has more may reach a sum.
TEST(PairedProduct, HasNonFiniteNumbersInTheirOwnRowsAndColumns) {
  Operands operands(1, 20, 35, 21);
  operands.left[7 * 35] = bits_of(std::numeric_limits<float>::quiet_NaN());
  operands.panels[2 * 3] = bits_of(std::numeric_limits<float>::infinity());
  std::vector<Operands::Run> runs = {run_paired_product, run_paired_product_plainly};
  if (has_paired_vectors()) runs.push_back(run_paired_product_by_vectors);
  for (const Operands::Run run : runs) {
    const std::vector<float> out = operands.result(run);
    for (std::size_t i = 0; i < out.size(); ++i) {
      const bool is_number = i / 21 != 7 && i % 21 != 3;
      EXPECT_EQ(std::isfinite(out[i]), is_number) << i;
    }
  }
}

class PairedProgramTest : public ProgramCompilerTest {};

TEST_F(PairedProgramTest, IsAFunctionOfThePlugin) {
  constexpr std::int64_t kRows = 20;
  const Shape weight_shape = {70, 52};
  ir::GraphEmitter emitter(true);
  lowering::Builder b(emitter);
  std::vector<float> weights(static_cast<std::size_t>(lowering::num_elements(weight_shape)));
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = static_cast<float>(i % 13) - 6;
  const auto narrow = [&](const lowering::Tensor& x) { return b.convert(x, Type::kBF16); };
  const lowering::Tensor y =
      b.matmul(narrow(one_input(emitter, {kRows, 70})),
               narrow(emitter.constant(Type::kF32, weight_shape, weights.data())));
  const ir::Graph graph = emitter.finish({b.convert(y, Type::kF32)});
  OneCall call(kRows * 70);
  ir::Arguments arguments;
  arguments.inputs.push_back({{Type::kF32, {kRows, 70}}, {}});
  for (std::int64_t i = 0; i < kRows * 70; ++i)
    arguments.inputs[0].elements.emplace_back(call.x[i]);
  const auto expected = ir::interpret(graph, arguments)[0].elements;
  Forms forms;
  forms.has_pairs = true;
  for (const int threads : {1, 2}) {
    const CompiledProgram made =
        compiler(Schedule::kRules, threads).compile(legalize(graph, true, forms).graph);
    EXPECT_EQ(made.executable->plan().kernels_by_rule.count("product"), 0U);
    call.run(*made.executable, {kRows, 70}, {kRows, 52});
    for (std::size_t i = 0; i < expected.size(); ++i) {
      ASSERT_EQ(call.y[i], static_cast<float>(expected[i].real())) << i;
    }
  }
  EXPECT_EQ(warnings_, "") << "a rule was refused";
}

}  // namespace paired_product_test
}  // namespace graphnet::tvm
