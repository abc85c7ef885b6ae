// SPDX-License-Identifier: MIT
#include "tvm_plugin/attention.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "lowering/builder.h"
#include "lowering/ir/array.h"
#include "lowering/ir/graph_emitter.h"
#include "lowering/ir/interpret.h"
#include "tvm_plugin/legalize.h"

namespace graphnet::tvm {
namespace attention_test {

namespace ir = lowering::ir;
using lowering::Shape;
using lowering::Type;
using Step = ir::AttentionStep;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// Numbers without a pattern between -2 and 2.
ir::Array numbers(const Shape& shape, std::uint32_t seed) {
  ir::Array array = {{Type::kF32, shape}, {}};
  for (std::int64_t i = 0; i < lowering::num_elements(shape); ++i) {
    seed = seed * 1664525U + 1013904223U;
    array.elements.emplace_back(static_cast<float>(seed >> 8U) * 0x1p-22F - 2.0F);
  }
  return array;
}

/// True for two of three.
ir::Array conditions(const Shape& shape) {
  ir::Array array = {{Type::kBool, shape}, {}};
  for (std::int64_t i = 0; i < lowering::num_elements(shape); ++i) {
    array.elements.emplace_back(i * 7 % 3 != 0 ? 1 : 0);
  }
  return array;
}

std::vector<float> floats(const ir::Array& array) {
  std::vector<float> values;
  for (const auto& each : array.elements) values.push_back(static_cast<float>(each.real()));
  return values;
}

// So many at most: what a cache has room for is more than a small test has keys.
constexpr std::int64_t kKeysOfBlock = 512;

struct Case {
  Shape batch = {2};
  std::int64_t rows = 5;
  std::int64_t depth = 8;
  std::int64_t keys = 21;
  std::int64_t columns = 12;
  std::int64_t lanes = 16;
  std::int64_t value_lanes = 0;  ///< 0: as `lanes`

  std::int64_t lanes_of_values() const { return value_lanes > 0 ? value_lanes : lanes; }
  std::vector<std::pair<Step, ir::Array>> steps = {};
  double fill = 0;
  bool is_safe = false;
};

/// Both operands of a case, as the operation and as the function take them.
struct Operands {
  ir::Attention operation;
  std::vector<ir::Array> arrays;

  explicit Operands(const Case& c) {
    const std::int64_t b = lowering::num_elements(c.batch);
    operation = {c.batch, c.columns, {}, c.fill, c.is_safe};
    const auto panels = [](std::int64_t n, std::int64_t lanes) { return (n + lanes - 1) / lanes; };
    const std::int64_t values = c.lanes_of_values();
    arrays = {numbers({b, c.rows, c.depth}, 1),
              numbers({b, panels(c.keys, c.lanes), c.depth, c.lanes}, 2),
              numbers({b, panels(c.columns, values), c.keys, values}, 3)};
    for (const auto& [kind, operand] : c.steps) {
      operation.steps.push_back(static_cast<std::int64_t>(kind));
      arrays.push_back(operand);
    }
  }
};

std::vector<float> defined(const Operands& operands) {
  ir::GraphEmitter emitter(true);
  std::vector<lowering::Tensor> in;
  for (const ir::Array& array : operands.arrays) {
    in.push_back(emitter.parameter(ir::ParameterSource::kInput,
                                   static_cast<std::int64_t>(in.size()), array.type));
  }
  const ir::Graph graph = emitter.finish(emitter.add(operands.operation, in));
  return floats(ir::interpret(graph, {operands.arrays, {}, {}})[0]);
}

AttentionStep step_of(Step kind, const Shape& shape, const void* operand) {
  AttentionStep step;
  step.kind = kind;
  step.operand = operand;
  Shape strides = ir::strides_of(shape);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == 1) strides[i] = 0;
  }
  step.batch_strides.assign(strides.begin(), strides.end() - 2);
  step.row_stride = strides[shape.size() - 2];
  step.key_stride = strides.back();
  return step;
}

/// By the function, in two parts as two threads would.
std::vector<float> computed(const Case& c, const Operands& operands) {
  std::vector<std::vector<float>> buffers;
  std::vector<std::vector<char>> bytes;
  for (const ir::Array& array : operands.arrays) {
    buffers.push_back(floats(array));
    bytes.emplace_back(buffers.back().begin(), buffers.back().end());
  }
  Attention a = {c.batch,   c.rows, c.depth, c.keys, c.columns, c.lanes, c.lanes_of_values(),
                 c.is_safe, c.fill, {}};
  a.queries = buffers[0].data();
  a.keys = buffers[1].data();
  a.values = buffers[2].data();
  a.cache_bytes = kKeysOfBlock * (std::min(c.rows, std::int64_t{48}) + c.depth + c.columns) * 4;
  for (std::size_t i = 0; i < c.steps.size(); ++i) {
    const bool is_condition = c.steps[i].first >= Step::kKeep;
    const void* data = is_condition ? static_cast<const void*>(bytes[i + 3].data())
                                    : static_cast<const void*>(buffers[i + 3].data());
    a.steps.push_back(step_of(c.steps[i].first, c.steps[i].second.type.shape, data));
  }
  const std::int64_t count = lowering::num_elements(c.batch) * c.rows * c.columns;
  std::vector<float> out(static_cast<std::size_t>(count), -1234);
  const std::int64_t blocks = num_attention_blocks(a);
  run_attention(a, blocks / 2, blocks, out.data());
  run_attention(a, 0, blocks / 2, out.data());
  return out;
}

void check(const Case& c, const Operands& operands, double tolerance = 2e-6) {
  const std::vector<float> wanted = defined(operands);
  const std::vector<float> found = computed(c, operands);
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (std::isnan(wanted[i])) {
      ASSERT_TRUE(std::isnan(found[i])) << i << ": " << found[i];
    } else {
      ASSERT_NEAR(found[i], wanted[i], tolerance) << i;
    }
  }
}
void check(const Case& c, double tolerance = 2e-6) {
  check(c, Operands(c), tolerance);
}

Case sized(std::int64_t rows, std::int64_t depth, std::int64_t keys, std::int64_t columns,
           std::int64_t lanes) {
  Case c;
  c.rows = rows;
  c.depth = depth;
  c.keys = keys;
  c.columns = columns;
  c.lanes = lanes;
  return c;
}

// Rows and keys that fill no block, no tile and no panel; heads of odd sizes; panels of one, two
// and four vectors of each processor's.
TEST(Attention, IsThatOfTheInterpreter) {
  for (const std::int64_t lanes : {4, 8, 16, 32, 64}) check(sized(7, 5, 37, 19, lanes));
  for (const std::int64_t rows : {1, 2, 3, 4, 5, 6, 11, 12, 13, 50})
    check(sized(rows, 3, 18, 7, 16));
  check(sized(3, 16, 512, 16, 16));
  check(sized(3, 16, 513, 16, 16));
  check(sized(50, 7, 1100, 33, 32));
  Case narrow = sized(50, 8, 530, 8, 32);
  narrow.value_lanes = 8;
  check(narrow);
}

TEST(Attention, TakesSteps) {
  Case c;
  c.batch = {2, 3};
  c.rows = 6;
  c.keys = 530;
  c.fill = -1e4;
  c.steps = {
      {Step::kMultiply, numbers({1, 3, 1, 1}, 5)}, {Step::kAdd, numbers({2, 1, 6, 530}, 6)},
      {Step::kSubtract, numbers({1, 3, 6, 1}, 7)}, {Step::kMaximum, numbers({1, 1, 1, 530}, 8)},
      {Step::kKeep, conditions({2, 3, 6, 530})},   {Step::kReplace, conditions({2, 1, 1, 530})},
      {Step::kDrop, conditions({1, 1, 6, 530})}};
  check(c);
}

// The largest score comes last, so that what was summed before is worth little or nothing.
TEST(Attention, ScalesSumsWhenALargerScoreComes) {
  for (const float rise : {3.0F, 60.0F, 200.0F}) {
    Case c;
    c.keys = 1500;
    ir::Array ramp = {{Type::kF32, {1, 1, 1500}}, {}};
    for (int i = 0; i < 1500; ++i) ramp.elements.emplace_back(rise * static_cast<float>(i) / 1500);
    c.steps = {{Step::kAdd, ramp}};
    check(c, 1e-6 + 2e-7 * rise);  // scores are rounded where they are that large
  }
}

// Row 1 sees nothing, row 2 nothing of the first block of keys, row 3 nothing of the last.
TEST(Attention, RowsWithoutScoresAreNanOrSafelyZero) {
  for (const bool is_safe : {false, true}) {
    Case c;
    c.keys = 700;
    c.is_safe = is_safe;
    ir::Array mask = {{Type::kF32, {1, 5, 700}}, {}};
    for (int row = 0; row < 5; ++row) {
      for (int key = 0; key < 700; ++key) {
        const bool is_hidden = row == 1 || (row == 2 && key < 600) || (row == 3 && key > 300);
        mask.elements.emplace_back(is_hidden ? -kInfinity : 0.0F);
      }
    }
    c.steps = {{Step::kAdd, mask}};
    check(c);
    const std::vector<float> found = computed(c, Operands(c));
    EXPECT_EQ(std::isnan(found[12]), !is_safe);
    if (is_safe) {
      EXPECT_EQ(found[12], 0);
    }
  }
}

TEST(Attention, DroppedWeightsAreZeroEvenInRowsOfNan) {
  Case c;
  c.fill = -kInfinity;
  ir::Array hidden = conditions({1, 5, 21});
  for (std::size_t key = 0; key < 21; ++key) hidden.elements[21 + key] = 1;
  c.steps = {{Step::kReplace, hidden}, {Step::kDrop, hidden}};
  check(c);
  EXPECT_EQ(computed(c, Operands(c))[12], 0);
}

TEST(Attention, NanReachesASafeRowThatHasNothingElse) {
  Case c;
  c.is_safe = true;
  ir::Array mask = {{Type::kF32, {1, 5, 21}}, {}};
  mask.elements.assign(5 * 21, -kInfinity);
  mask.elements[2 * 21 + 3] = std::numeric_limits<float>::quiet_NaN();
  c.steps = {{Step::kAdd, mask}};
  check(c);
  const std::vector<float> found = computed(c, Operands(c));
  EXPECT_TRUE(std::isnan(found[2 * 12]));
  EXPECT_EQ(found[0], 0);
}

TEST(Attention, NanAndInfinityReachTheirRowsAlone) {
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), kInfinity}) {
    Case c;
    c.keys = 600;
    for (const std::int64_t key : {2, 599}) {
      ir::Array shift = {{Type::kF32, {1, 5, 600}}, {}};
      shift.elements.resize(5 * 600);
      shift.elements[static_cast<std::size_t>(2 * 600 + key)] = bad;
      c.steps = {{Step::kAdd, shift}};
      check(c);
    }
  }
}

// What softmax of eager flushes to 0 is 0 here: products with it would be slow.
TEST(Attention, WeightsAreExactAndNeverSubnormal) {
  for (const std::int64_t lanes : {4, 8, 16}) {
    Case c = sized(1, 1, 2, 1, lanes);
    Operands operands(c);
    operands.arrays[0].elements = {1.0F, 1.0F};
    operands.arrays[2].elements.assign(operands.arrays[2].elements.size(), 0.0F);
    operands.arrays[2].elements[0] = 1.0F;
    for (float x = 0; x > -90; x -= 0.37F) {
      operands.arrays[1].elements.assign(operands.arrays[1].elements.size(), 0.0F);
      operands.arrays[1].elements[0] = x;
      const float weight = computed(c, operands)[0];
      const double odds = std::exp(static_cast<double>(x));
      const double wanted = odds / (1 + odds);
      if (static_cast<double>(x) < kLogSmallestNormal) {
        EXPECT_EQ(weight, 0) << x;
      } else {
        EXPECT_NEAR(weight, wanted, 4 * wanted * 0x1p-23) << x << ", " << lanes << " lanes";
      }
    }
  }
}

}  // namespace attention_test
}  // namespace graphnet::tvm
