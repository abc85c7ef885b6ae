// SPDX-License-Identifier: MIT
// Normal forms of small programs: what they give, which operators are left, why there is none.
#include <algorithm>

#include "eager/graph_run.h"
#include "eager_program.h"

namespace graphnet::eager {
namespace normal_form_test {

using base::DType;

const TestArgument kGrid = {DType::kFloat32, {2, 3}, {1, -2, 3, -4, 5, -6}};
const TestArgument kRow = {DType::kFloat32, {3}, {10, 20, 30}};
const TestArgument kIntegers = {DType::kInt64, {2, 3}, {1, 2, 3, 4, 5, 6}};
const TestArgument kMask = {DType::kBool, {3}, {1, 0, 1}};

base::Result<graph::Graph> normal_form(const EagerProgram& program) {
  const std::vector<bool> none(program.arguments().size(), false);
  return program.engine->normal_form(none);
}

std::vector<std::string> ops_of(const graph::Graph& graph) {
  std::vector<std::string> ops;
  for (const graph::Node& node : graph.nodes) ops.push_back(node.op);
  return ops;
}

bool has_op(const graph::Graph& graph, const std::string& op) {
  const std::vector<std::string> ops = ops_of(graph);
  return std::find(ops.begin(), ops.end(), op) != ops.end();
}

/// The dense outputs of both ways to run, one after the other.
template <typename Side>
std::string bytes_of(const Side& side) {
  std::string all;
  for (std::size_t i = 0; i < side.outputs().size(); ++i) {
    const EngineOutput& output = side.outputs()[i];
    const auto count = static_cast<std::size_t>(*base::num_elements(output.shape));
    const std::size_t before = all.size();
    all.resize(before + count * base::dtype_bytes(output.dtype));
    EXPECT_TRUE(side.copy_output(i, all.data() + before).is_ok());
  }
  return all;
}

void expect_same_outputs(const EagerProgram& program, const graph::Graph& graph) {
  const std::string wanted = bytes_of(*program.engine);
  ASSERT_TRUE(program.engine->prepare().is_ok());
  const auto run = GraphRun::create(graph);
  ASSERT_TRUE(run.is_ok()) << run.status().to_string();
  std::vector<void*> data;
  for (const EngineArgument& argument : program.arguments()) data.push_back(argument.data);
  for (int i = 0; i < 2; ++i) {
    const base::Status status = (*run)->run(data);
    ASSERT_TRUE(status.is_ok()) << status.to_string();
    EXPECT_EQ(bytes_of(**run), wanted);
  }
}

class WrittenProgram : public ::testing::TestWithParam<const char*> {};

TEST_P(WrittenProgram, GivesTheSameAndWritesNothing) {
  const EagerProgram program({kGrid, kRow, kIntegers}, GetParam());
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  const auto graph = normal_form(program);
  ASSERT_TRUE(graph.is_ok()) << graph.status().to_string();
  expect_same_outputs(program, *graph);
  for (const std::string& op : ops_of(*graph)) EXPECT_NE(op.back(), '_') << op;
}

INSTANTIATE_TEST_SUITE_P(
    Writes, WrittenProgram,
    ::testing::Values(
        "x = a + b\nx += b\nreturn (x,)",  //
        "x = a * 2\ny = x\ny += b\nreturn (x, y)",
        // Through views, with the base, the view and a view of the view read afterwards.
        "x = a.clone()\ny = x[0]\ny += 13\nreturn (x, y)",
        "x = a.clone()\ny = x[(slice(None, None, None), slice(1, None, None))]\ny *= b[slice(1, "
        "None, None)]\nreturn (x, y)",
        "x = a.clone()\ny = x.view(6)\nz = y[slice(1, 5, 2)]\nw = z.zero_()\nreturn (x, y, z)",
        "x = a.clone()\ny = x.t()\nz = y[1]\nx += 1\nw = z.fill_(7)\nreturn (x, y, z)",
        "x = a.clone()\ny = x.permute(1, 0)\ny += 1\nreturn (x, y)",
        "x = a.clone()\nw = x.transpose(0, 1)\ny = w.unsqueeze(0)\ny *= 3\nreturn (x, y, w)",
        "x = a.clone()\ny = x.split(1)\nz = y[1]\nz += b\nw = y[0]\nreturn (x, w, z)",
        "x = a.clone()\ny = x.chunk(2, dim=1)\nz = y[1]\nz += 5\nw = y[0]\nreturn (x, w)",
        "x = a.clone()\ny = x.unbind(1)\nz = y[2]\nz -= 5\nw = y[0]\nreturn (x, w)",
        "x = a.clone()\ny = x.split((1, 2), 1)\nz = y[1]\nz += 5\nw = y[0]\nreturn (x, w)",
        "x = a.clone()\ny = x.narrow(1, 1, 2)\nw = y.relu_()\nreturn (x, y)",
        // A view read, then its base written, then the view read again.
        "x = a.clone()\ny = x[0]\nz = y + 1\nx += 1\nw = y + 1\nreturn (z, w)",
        // Item assignment.
        "x = a.clone()\nx[0] = b\nsetitem = x\nreturn (setitem,)",
        "x = torch.zeros(4, 3)\nx[(slice(1, 3, None), slice(None, None, None))] = a\nreturn (x,)",
        "x = a.clone()\nx[(slice(None, None, None), 1)] = 4\nreturn (x,)",
        "x = a.clone()\ny = x > 0\nx[y] = 0\nreturn (x,)",
        "t = a.clone()\nu = t[(slice(None, None, None), 0)]\nu += 13\nt[(slice(None, None, None), "
        "0)] = u\nreturn (t,)",
        // Promotion: the written tensor keeps its type.
        "x = c.clone()\nx *= 2\nreturn (x,)", "x = a.double()\nx += b\nreturn (x,)",
        "x = a.clone()\nx += b.double()\nreturn (x,)", "x = a.clone()\nx += c\nreturn (x,)",
        "x = a.clone()\ny = b.double()\nw = x.copy_(y)\nreturn (x,)",
        // Numbers with integers.
        "x = c + 0.5\ny = c * 3\nz = c / 2\nreturn (x, y, z)",
        "x = 2 - a\ny = 1 / a\nreturn (x, y)", "x = a.pow_(2)\nreturn (x,)",
        "x = a.clone()\nw = x.pow_(2)\nreturn (x,)",
        "x = a.clone()\nw = x.clamp_(-1, 1)\nreturn (x,)",
        "x = a.clone()\ny = x > 0\nw = x.masked_fill_(y, 3.5)\nreturn (x,)",
        // Arguments that are written to, identities and parameters that are returned.
        "a += b\nx = a * 2\nreturn (x, a)", "x = a.contiguous()\ny = x.float()\nreturn (y, a)",
        "x = torch.nn.functional.dropout(a, 0.5, False, False)\nreturn (x, x)"));

TEST(NormalForm, DropsWhatDoesNothing) {
  const EagerProgram program(
      {kGrid},
      "x = torch.nn.functional.dropout(a, 0.5, False, False)\ny = x.detach()\nz = y * 2\n"
      "w = a + 1\nreturn (z,)");
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  const auto graph = normal_form(program);
  ASSERT_TRUE(graph.is_ok()) << graph.status().to_string();
  EXPECT_EQ(ops_of(*graph), std::vector<std::string>{"aten::mul.Scalar"});
  EXPECT_EQ(graph->nodes[0].where, "model.py:10:9");
  EXPECT_EQ(graph->values.size(), 2U);
}

TEST(NormalForm, CarriesAWriteBackThroughItsView) {
  const EagerProgram program({kGrid}, "x = a.clone()\ny = x[0]\ny += 13\nreturn (x,)");
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  const auto graph = normal_form(program);
  ASSERT_TRUE(graph.is_ok()) << graph.status().to_string();
  const std::vector<std::string> wanted = {"aten::clone", "aten::select.int", "aten::add.Scalar",
                                           "aten::select_scatter"};
  EXPECT_EQ(ops_of(*graph), wanted);
}

TEST(NormalForm, CastsBackWhatPromotionWidened) {
  const EagerProgram program({kGrid, kRow}, "x = a.clone()\nx += b.double()\nreturn (x,)");
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  const auto graph = normal_form(program);
  ASSERT_TRUE(graph.is_ok()) << graph.status().to_string();
  EXPECT_FALSE(has_op(*graph, "aten::add_.Tensor"));
  EXPECT_EQ(graph->value(graph->outputs[0]).dtype, DType::kFloat32);
}

TEST(NormalForm, HoldsWeightsAndLiterals) {
  const EagerProgram program({kGrid, kRow},
                             "x = a + b\ny = x[(slice(None, None, None), [-1])]\n"
                             "return (y,)");
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  const auto graph = program.engine->normal_form({false, true});
  ASSERT_TRUE(graph.is_ok()) << graph.status().to_string();
  ASSERT_EQ(graph->parameters.size(), 2U);
  EXPECT_EQ(graph->value(graph->parameters[0]).kind, graph::ValueKind::kInput);
  EXPECT_EQ(graph->value(graph->parameters[1]).kind, graph::ValueKind::kWeight);
  EXPECT_EQ(graph->value(graph->parameters[1]).name, "b");
  const auto constant = std::find_if(
      graph->values.begin(), graph->values.end(),
      [](const graph::Value& value) { return value.kind == graph::ValueKind::kConstant; });
  ASSERT_NE(constant, graph->values.end());
  EXPECT_EQ(constant->shape, std::vector<std::int64_t>{1});
  EXPECT_EQ(constant->data.size(), 8U);
  expect_same_outputs(program, *graph);
}

TEST(NormalForm, MakesLiveRandomNumbersInputs) {
  const EagerProgram program({kGrid},
                             "x = torch.rand([])\ny = torch.rand(2, 3)\nz = a + y\nreturn (z,)");
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  const auto graph = normal_form(program);
  ASSERT_TRUE(graph.is_ok()) << graph.status().to_string();
  ASSERT_EQ(graph->num_random, 1U);
  ASSERT_EQ(graph->parameters.size(), 2U);
  const graph::Value& drawn = graph->value(graph->parameters[1]);
  EXPECT_EQ(drawn.name, "random0");
  EXPECT_EQ(drawn.data.size(), 24U);
  EXPECT_EQ(ops_of(*graph), std::vector<std::string>{"aten::add.Tensor"});
  expect_same_outputs(program, *graph);
}

TEST(NormalForm, NamesArgumentsThatTheHostRead) {
  const EagerProgram program({kGrid, {DType::kInt64, {}, {2}}},
                             "n = b.item()\nx = a[(slice(None, n, None), 0)]\nreturn (x,)");
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  const auto graph = normal_form(program);
  ASSERT_TRUE(graph.is_ok()) << graph.status().to_string();
  EXPECT_EQ(graph->specialised, std::vector<graph::ValueId>{graph->parameters[1]});
  EXPECT_FALSE(has_op(*graph, "aten::item"));
}

TEST(NormalForm, TakesNoRunningStatisticsInTraining) {
  const char* const body =
      "x = torch.nn.functional.batch_norm(a, b, c, None, None, True, 0.1, 1e-05)\nreturn (x,)";
  const TestArgument ones = {DType::kFloat32, {3}, {1, 1, 1}};
  const EagerProgram program({kGrid, kRow, ones}, body);
  ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
  const auto graph = normal_form(program);
  ASSERT_TRUE(graph.is_ok()) << graph.status().to_string();
  ASSERT_EQ(graph->nodes.size(), 1U);
  EXPECT_EQ(graph->nodes[0].arguments[3].kind, graph::Argument::Kind::kAttribute);
  expect_same_outputs(program, *graph);
}

TEST(NormalForm, SaysWhyThereIsNone) {
  struct Case {
    const char* body;
    const char* reason;
  };
  const Case cases[] = {
      {"x = b[c]\nreturn (x,)", "shape depends on data: aten::index.Tensor at model.py:8:9"},
      {"x = torch.nn.functional.dropout(a, 0.5, True, False)\nreturn (x,)",
       "random numbers that depend on data: aten::dropout at model.py:8:9"},
      {"x = a.clone()\ny = x.as_strided((2, 2), (3, 1))\ny += 1\nreturn (x,)",
       "a write through the view aten::as_strided at model.py:9:9"},
      {"x = torch.nn.functional.batch_norm(a, b, d, None, None, True, 0.1, 1e-05)\nreturn (x, b)",
       "running statistics that aten::batch_norm at model.py:8:9 writes are read"},
      {"x = torch.ops.aten.native_batch_norm.default(a, None, None, b, d, True, 0.1, 1e-05)\n"
       "y = x[0]\nreturn (y, b)",
       "running statistics that aten::native_batch_norm at model.py:8:9 writes are read"},
  };
  for (const Case& expected : cases) {
    const EagerProgram program({kGrid, kRow, kMask, kRow}, expected.body);
    ASSERT_TRUE(program.status.is_ok()) << program.status.to_string();
    const auto graph = normal_form(program);
    ASSERT_FALSE(graph.is_ok()) << expected.body;
    EXPECT_EQ(graph.status().code(), base::Code::kUnsupported);
    EXPECT_EQ(graph.status().message(), expected.reason);
  }
}

}  // namespace normal_form_test
}  // namespace graphnet::eager
