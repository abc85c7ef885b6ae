// SPDX-License-Identifier: MIT
#include "graph/graph_text.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "support/graph_identity.h"
#include "support/mentions.h"

namespace graphnet::graph {
namespace graph_text_test {

using base::DType;

constexpr const char* kExample = R"(graph "family/model"
%0: f32[2,3] = input "L_x_"
%1: f32[3] = weight "w\"\\\xff"
%2: f32[] = random "random0" [0x3f800000]
%3: i64[2] = constant [0, -1]
%4: bool[2] = constant [1, 0]
%5: f32[0] = constant []
%6: f32[2,3] = aten::add.Tensor(self=%0, other=%2, alpha=1)  # model.py:12:5
%7: f32[2], _ = aten::max.dim(self=%6, dim=1, keepdim=false)
%8: f32[2,3] = aten::index.Tensor(self=%0, indices=(%3, none))  # model.py:14:5
specialised %0
return %8, %7, %0
)";

Graph parsed(const std::string& text) {
  auto graph = parse_graph(text, "x.gir");
  EXPECT_TRUE(graph.is_ok()) << graph.status().to_string();
  return graph.is_ok() ? std::move(graph).value() : Graph();
}

std::string failure(const std::string& text) {
  const auto graph = parse_graph(text, "x.gir");
  return graph.is_ok() ? "" : graph.status().message();
}

TEST(GraphText, PrintsWhatItReads) {
  const Graph graph = parsed(kExample);
  EXPECT_EQ(print_graph(graph), kExample);
  ASSERT_EQ(graph.values.size(), 9U);
  EXPECT_EQ(graph.name, "family/model");
  EXPECT_EQ(graph.value(1).name, "w\"\\\xff");
  EXPECT_EQ(graph.value(1).kind, ValueKind::kWeight);
  EXPECT_EQ(graph.num_random, 1U);
  EXPECT_EQ(graph.value(2).data.size(), 4U);
  EXPECT_EQ(graph.value(3).shape, std::vector<std::int64_t>{2});
  ASSERT_EQ(graph.nodes.size(), 3U);
  EXPECT_EQ(graph.nodes[0].where, "model.py:12:5");
  EXPECT_EQ(graph.nodes[1].results, (std::vector<ValueId>{7, kNoValue}));
  EXPECT_EQ(graph.nodes[2].arguments[1].values, (std::vector<ValueId>{3, kNoValue}));
  EXPECT_EQ(graph.outputs, (std::vector<ValueId>{8, 7, 0}));
  EXPECT_EQ(graph.specialised, std::vector<ValueId>{0});
}

TEST(GraphText, SkipsEmptyLinesAndComments) {
  const std::string text = kExample;
  const std::size_t second_line = text.find('\n') + 1;
  const std::string marked =
      text.substr(0, second_line) + "\n# one\n" + text.substr(second_line) + "\n# two\n# three";
  EXPECT_EQ(print_graph(parsed(marked)), kExample);
}

TEST(GraphText, KeepsEveryAttributeExactly) {
  double odd_nan = 0;
  const std::uint64_t bits = 0xfff8000000000123;
  std::memcpy(&odd_nan, &bits, sizeof(bits));
  constexpr double kInf = std::numeric_limits<double>::infinity();
  const std::vector<Attribute> attributes = {
      std::monostate(),
      true,
      std::int64_t{1},
      std::numeric_limits<std::int64_t>::min(),
      1.0,
      -0.0,
      0.1,
      1e300,
      5e-324,
      kInf,
      -kInf,
      std::numeric_limits<double>::quiet_NaN(),
      odd_nan,
      std::string("a \"b\"\n\t\\ #"),
      std::string(),
      DType::kBool,
      DType::kComplex128,
      std::vector<std::int64_t>{},
      std::vector<std::int64_t>{1, -2},
      std::vector<double>{},
      std::vector<double>{1.0, odd_nan, -kInf},
      std::vector<bool>{},
      std::vector<bool>{true, false},
  };
  Graph graph;
  graph.nodes.push_back({"aten::x", "a location  # with marks ", {}, {}});
  for (const Attribute& attribute : attributes) {
    graph.nodes[0].arguments.push_back({"a", Argument::Kind::kAttribute, {}, attribute});
  }
  graph.nodes[0].arguments.push_back({"empty", Argument::Kind::kValues, {}, {}});
  const std::string text = print_graph(graph);
  EXPECT_TRUE(tests::is_identical(parsed(text), graph)) << text;
}

TEST(GraphText, KeepsElementsOfEveryType) {
  Graph graph;
  for (int type = 0; type <= static_cast<int>(DType::kComplex128); ++type) {
    Value value{ValueKind::kConstant, "", static_cast<DType>(type), {2}};
    for (std::size_t i = 0; i < 2 * base::dtype_bytes(value.dtype); ++i) {
      const auto byte = value.dtype == DType::kBool ? i : 0x81 + 7 * i;
      value.data.push_back(static_cast<std::byte>(byte));
    }
    graph.values.push_back(value);
  }
  const std::string text = print_graph(graph);
  EXPECT_TRUE(tests::is_identical(parsed(text), graph)) << text;
}

TEST(GraphText, SaysWhereAndWhatIsWrong) {
  struct Case {
    const char* text;
    std::vector<std::string_view> names;
  };
  const std::string head = "graph \"g\"\n%0: f32[2] = input \"x\"\n";
  const Case cases[] = {
      {"%1: f33[2] = aten::relu(self=%0)\n", {"x.gir:3:5:", "expected", "element type", "f32"}},
      {"%1: f32[2 = aten::relu(self=%0)\n", {"x.gir:3:11: expected ',', found '='"}},
      {"%1: f32[-2] = aten::relu(self=%0)\n", {"x.gir:3:9: an extent is negative"}},
      {"%0: f32[2] = aten::relu(self=%0)\n", {"x.gir:3:1:", "value", "defined twice"}},
      {"%1: f32[2] = aten::relu(self=%1)\n", {"x.gir:3:30:", "value", "not defined above"}},
      {"%1: f32[2] = aten::relu(self=%2)\n", {"x.gir:3:30:", "value", "not defined above"}},
      {"%1: f32[2] = aten::relu(self=)\n",
       {"x.gir:3:30:", "expected", "value, number, type", "string", "list", "found ')'"}},
      {"%1: f32[2] = aten::relu(self=%0\n", {"x.gir:3:32:", "expected ',', found", "end", "line"}},
      {"%1: f32[2] = constant [0x00]\nreturn\n", {"x.gir:3:24: expected 0x and 8 digits"}},
      {"%1: i8[1] = constant [128]\n", {"x.gir:3:23:", "element", "not fit", "type"}},
      {"%1: i8[1] = constant []\n", {"x.gir:3:23:", "fewer elements", "shape"}},
      {"%1: i8[1] = constant [1, 2]\n", {"x.gir:3:26:", "more elements", "shape"}},
      {"%1: f32[2] = thing \"y\"\n",
       {"x.gir:3:14:", "expected input, weight", "random, constant", "operator"}},
      {"return %0\nreturn %0\n", {"x.gir:4:1:", "expected", "end", "file", "found 'r'"}},
      {"", {"x.gir:3:1:", "expected 'return', found", "end", "file"}},
      {"return %1\n", {"x.gir:3:8:", "value", "not defined above"}},
      {"%2: i8[1] = constant [1]\nreturn %0\n", {"x.gir:5:1: value %1 is left out"}},
      {"%1: f32[2] = aten::relu(self=ints[1, 2.5])\n", {"x.gir:3:39: expected ',', found '.'"}},
      {"%99999: f32[2] = input \"y\"\n", {"x.gir:3:1:", "no value", "number"}},
  };
  for (const Case& expected : cases) {
    EXPECT_TRUE(tests::mentions(failure(head + expected.text), expected.names)) << expected.text;
  }
  EXPECT_EQ(failure("grph"), "x.gir:1:1: expected 'graph', found 'g'");
  EXPECT_EQ(failure("graph \"a\\q\""), "x.gir:1:10: expected 'x', found 'q'");
}

}  // namespace graph_text_test
}  // namespace graphnet::graph
