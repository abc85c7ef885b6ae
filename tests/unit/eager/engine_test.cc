// SPDX-License-Identifier: MIT
#include "eager/engine.h"

#include "unit/eager/eager_program.h"

namespace graphnet::eager {
namespace engine_test {

using base::Code;
using base::DType;
using Values = std::vector<double>;

const TestArgument kRow = {DType::kFloat32, {3}, {1, -2, 3}};
const TestArgument kGrid = {DType::kFloat32, {2, 3}, {0, 1, 2, 3, 4, 5}};
const TestArgument kIndex = {DType::kInt64, {2}, {1, 0}};

Values only(const EagerProgram& program) {
  EXPECT_TRUE(program.status.is_ok()) << program.status.to_string();
  return program.outputs.size() == 1 ? program.outputs[0] : Values{};
}

struct Case {
  const char* name;
  std::vector<TestArgument> arguments;
  const char* body;
  Values wanted;
};

void PrintTo(const Case& tested, std::ostream* out) {
  *out << tested.name;
}

class Program : public ::testing::TestWithParam<Case> {};

TEST_P(Program, GivesPythonsResult) {
  EagerProgram program(GetParam().arguments, GetParam().body);
  EXPECT_EQ(only(program), GetParam().wanted);
  // The tape repeats what the traced run did.
  program.run();
  EXPECT_EQ(only(program), GetParam().wanted);
}

INSTANTIATE_TEST_SUITE_P(
    Operators, Program,
    ::testing::Values(
        Case{"NumberMinusTensor", {kRow}, "x = 1 - a\nreturn (x,)", {0, 3, -2}},
        Case{"NumberOverTensor", {kRow}, "x = 6 / a\nreturn (x,)", {6, -3, 2}},
        Case{"NumberToTheTensor", {kRow}, "x = 2 ** a\nreturn (x,)", {2, 0.25, 8}},
        Case{"FloorDivide", {kRow}, "x = a // 2\nreturn (x,)", {0, -1, 1}},
        Case{"Remainder", {kRow}, "x = a % 2\nreturn (x,)", {1, 0, 1}},
        Case{"InPlaceKeepsTheObject", {kRow}, "x = a * 1\nx += 1\ny = x\nreturn (y,)", {2, -1, 4}},
        Case{"Compare", {kRow}, "x = a > 0\nreturn (x,)", {1, 0, 1}},
        Case{"CompareMirrored", {kRow}, "x = 0 > a\nreturn (x,)", {0, 1, 0}},
        Case{"MethodOfOperator", {kIndex}, "x = a.__eq__(1)\nreturn (x,)", {1, 0}},
        Case{"Item",
             {{DType::kFloat64, {}, {0.5}}, kRow},
             "p = a.item()\nx = b * p\nreturn (x,)",
             {0.5, -1, 1.5}}),
    [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Indexing, Program,
    ::testing::Values(
        Case{"Row", {kGrid}, "x = a[1]\nreturn (x,)", {3, 4, 5}},
        Case{"NegativeInt", {kGrid}, "x = a[-1]\nreturn (x,)", {3, 4, 5}},
        Case{"SliceAndNone",
             {kGrid},
             "x = a[(slice(None, None, None), None, slice(1, None, None))]\nreturn (x,)",
             {1, 2, 4, 5}},
        Case{"Step", {kRow}, "x = a[slice(None, None, 2)]\nreturn (x,)", {1, 3}},
        Case{"EllipsisInt", {kGrid}, "x = a[(Ellipsis, 0)]\nreturn (x,)", {0, 3}},
        Case{"TensorIndex", {kGrid, kIndex}, "x = a[b]\nreturn (x,)", {3, 4, 5, 0, 1, 2}},
        Case{"TensorIndexAfterSlice",
             {kGrid, kIndex},
             "x = a[(slice(None, None, None), b)]\nreturn (x,)",
             {1, 0, 4, 3}},
        Case{"BoolMask", {kRow}, "m = a > 0\nx = a[m]\nreturn (x,)", {1, 3}},
        Case{"ListIndex", {kGrid}, "x = a[(Ellipsis, [-2])]\nreturn (x,)", {1, 4}},
        Case{"SetSlice",
             {kGrid},
             "x = a.clone()\nx[(slice(None, None, None), 0)] = 9\nreturn (x,)",
             {9, 1, 2, 9, 4, 5}},
        Case{"SetBroadcast",
             {kGrid, kRow},
             "x = a.clone()\nx[slice(None, None, None)] = b\nreturn (x,)",
             {1, -2, 3, 1, -2, 3}},
        Case{"SetMask",
             {kRow},
             "x = a.clone()\nm = a > 0\nv = torch.tensor(7.0)\nx[m] = v\nreturn (x,)",
             {7, -2, 7}}),
    [](const auto& tested) { return tested.param.name; });

INSTANTIATE_TEST_SUITE_P(
    Calls, Program,
    ::testing::Values(
        Case{"ReluInPlaceSwitch",
             {kRow},
             "x = a * 1\ny = torch.nn.functional.relu(x, inplace=True)\nreturn (x,)",
             {1, 0, 3}},
        Case{"VarargsView", {kGrid}, "x = a.view(3, -1)\ny = x.sum(0)\nreturn (y,)", {6, 9}},
        Case{
            "AxisForDim", {kGrid}, "x = torch.cumsum(a, axis=1)\nreturn (x,)", {0, 1, 3, 3, 7, 12}},
        Case{"TensorLiteral", {kRow}, "t = torch.tensor(2)\nx = a * t\nreturn (x,)", {2, -4, 6}},
        Case{"NestedLiteral",
             {kRow},
             "x = torch.as_tensor([(1, 2), (3, 4)], dtype=torch.int64)\nreturn (x,)",
             {1, 2, 3, 4}},
        Case{"SplitBySize",
             {kGrid},
             "s = a.split([1, 2], dim=1)\nx = s[1]\nreturn (x,)",
             {1, 2, 4, 5}},
        Case{"SymSumWithTensor",
             {{DType::kInt64, {}, {4}}},
             "x = torch.sym_sum([-1, a])\nreturn (x,)",
             {3}},
        Case{"SizeIsHostInt", {kGrid}, "n = a.size(1)\nx = torch.zeros(n)\nreturn (x,)", {0, 0, 0}},
        Case{"DropoutIsIdentity",
             {kRow},
             "x = torch.nn.functional.dropout(a, 0.5, False, False)\nreturn (x,)",
             {1, -2, 3}},
        Case{"EinsumOfList",
             {kRow},
             "x = torch.functional.einsum('i,i->', [a, a])\nreturn (x,)",
             {14}}),
    [](const auto& tested) { return tested.param.name; });

TEST(Engine, UnknownSpellingsAreAllNamed) {
  const EagerProgram program({kRow}, "x = torch.nope(a)\ny = a.frobnicate()\nreturn (x, y)");
  EXPECT_EQ(program.status.code(), Code::kUnsupported);
  EXPECT_NE(program.status.message().find("torch.nope (model.py:"), std::string::npos);
  EXPECT_NE(program.status.message().find("Tensor.frobnicate (model.py:"), std::string::npos);
}

TEST(Engine, WrongArgumentsNameTheirLocation) {
  const EagerProgram program({kRow, kGrid}, "x = torch.matmul(b, b)\nreturn (x,)");
  EXPECT_FALSE(program.status.is_ok());
  EXPECT_NE(program.status.message().find("model.py:8:"), std::string::npos)
      << program.status.to_string();
}

TEST(Engine, WrittenArgumentIsPutBack) {
  EagerProgram program({kRow}, "x = a.add_(1)\nreturn (x,)");
  EXPECT_EQ(only(program), (Values{2, -1, 4}));
  program.run();
  EXPECT_EQ(only(program), (Values{2, -1, 4}));
  ASSERT_EQ(program.engine->notes().size(), 1U);
  EXPECT_EQ(program.engine->notes()[0], "writes to 1 of its arguments");
}

// Schemas do not say that layers in training write to their running statistics.
TEST(Engine, RunningStatisticsArePutBack) {
  const TestArgument image = {DType::kFloat32, {2, 1, 2}, {1, 3, 5, 9}};
  const TestArgument zero = {DType::kFloat32, {1}, {0}};
  const std::string functional = "torch.nn.functional.";
  for (const std::string& layer :
       {functional + "batch_norm(a, b, c, None, None, True, 0.5, 1e-05)",
        functional + "instance_norm(a, b, c, None, None, True, 0.5, 1e-05)",
        std::string(
            "torch.ops.aten.native_batch_norm.default(a, None, None, b, c, True, 0.5, 1e-05)")}) {
    EagerProgram program({image, zero, zero}, "x = " + layer + "\ny = b + 0\nreturn (y,)");
    const Values first = only(program);
    EXPECT_EQ(first.size(), 1U) << program.status.to_string();
    EXPECT_NE(first, Values{0}) << layer;
    program.run();
    EXPECT_EQ(only(program), first) << layer;
    ASSERT_EQ(program.engine->notes().size(), 1U) << layer;
    EXPECT_EQ(program.engine->notes()[0], "writes to 2 of its arguments");
  }
}

TEST(Engine, RandomProgramRepeatsItself) {
  EagerProgram program({kRow}, "r = torch.rand([3])\nx = a + r\nreturn (x,)");
  const Values first = only(program);
  program.run();
  EXPECT_EQ(only(program), first);
  EXPECT_EQ(program.engine->notes()[0], "draws random numbers");
}

TEST(Engine, BatchNormWithoutEpsIsNoted) {
  const TestArgument image = {DType::kFloat32, {2, 1, 1}, {1, 3}};
  const TestArgument mean = {DType::kFloat32, {1}, {1}};
  const TestArgument variance = {DType::kFloat32, {1}, {4}};
  const EagerProgram program(
      {image, mean, variance},
      "x = torch.nn.functional.batch_norm(a, b, c, None, None, False, 0.1, 0.0)\nreturn (x,)");
  EXPECT_EQ(only(program), (Values{0, 1}));
  ASSERT_EQ(program.engine->notes().size(), 1U);
  EXPECT_NE(program.engine->notes()[0].find("eps 0"), std::string::npos);
}

TEST(Engine, BatchNormWithoutEpsIsNotedWhereEpsIsATensor) {
  const TestArgument image = {DType::kFloat32, {2, 1, 1}, {1, 3}};
  const TestArgument mean = {DType::kFloat32, {1}, {1}};
  const TestArgument variance = {DType::kFloat32, {1}, {4}};
  const TestArgument eps = {DType::kFloat64, {}, {0}};
  const EagerProgram program({image, mean, variance, eps},
                             "x = torch.nn.functional.batch_norm(a, b, c, eps=d)\nreturn (x,)");
  EXPECT_EQ(only(program), (Values{0, 1}));
  ASSERT_FALSE(program.engine->notes().empty());
  EXPECT_NE(program.engine->notes()[0].find("eps 0"), std::string::npos);
}

// The usual causal mask of four nested vmaps: (k <= q) & mask[b, k].
TEST(Engine, VmapRegionGivesTheMask) {
  const TestArgument mask = {DType::kBool, {1, 3}, {1, 1, 0}};
  const std::string body =
      "bi = torch.arange(1)\nhi = torch.arange(1)\nqi = torch.arange(3)\nki = torch.arange(3)\n"
      "z = torch._functorch.predispatch._vmap_increment_nesting(1, \"error\")\n"
      "b1 = torch._functorch.predispatch._add_batch_dim(bi, 0, 1)\n"
      "h1 = torch._functorch.predispatch._add_batch_dim(hi, 0, 2)\n"
      "q1 = torch._functorch.predispatch._add_batch_dim(qi, 0, 3)\n"
      "k1 = torch._functorch.predispatch._add_batch_dim(ki, 0, 4)\n"
      "t = q1.new_ones((), dtype=torch.bool)\nc = k1.le(q1)\nr = t.__and__(c)\n"
      "m = torch.ops.aten.index(a, [b1, k1])\ns = r.__and__(m)\n"
      "o4 = torch._functorch.predispatch._remove_batch_dim(s, 4, 3, 0)\n"
      "o3 = torch._functorch.predispatch._remove_batch_dim(o4, 3, 3, 0)\n"
      "o2 = torch._functorch.predispatch._remove_batch_dim(o3, 2, 1, 0)\n"
      "o1 = torch._functorch.predispatch._remove_batch_dim(o2, 1, 1, 0)\nreturn (o1,)";
  const EagerProgram program({mask}, body);
  EXPECT_EQ(only(program), (Values{1, 0, 0, 1, 1, 0, 1, 1, 0}));
  EXPECT_EQ(program.engine->outputs()[0].shape, (std::vector<std::int64_t>{1, 1, 3, 3}));
}

}  // namespace engine_test
}  // namespace graphnet::eager
