// SPDX-License-Identifier: MIT
#include "split/ranges.h"

#include <gtest/gtest.h>

#include "sample/parser.h"
#include "support/mentions.h"

namespace graphnet::split {
namespace ranges_test {

graph::Program parsed(const std::string& parameters, const std::string& body) {
  auto program = sample::parse_model(
      "import torch\nclass GraphModule(torch.nn.Module):\n    def forward(self" + parameters +
          "):\n" + body,
      "model.py");
  EXPECT_TRUE(program.is_ok()) << program.status().to_string();
  return program.is_ok() ? std::move(*program) : graph::Program();
}

/// Four operators, with statements between that are none.
graph::Program residual() {
  return parsed(", L_x_, L_w_",
                "        l_x_ = L_x_\n"
                "        l_w_ = L_w_\n"
                "        y = torch.conv2d(l_x_, l_w_);  l_w_ = None\n"
                "        y += l_x_;  z = y;  y = l_x_ = None\n"
                "        size = z.size(0)\n"
                "        v = z.view(size, -1);  z = size = None\n"
                "        return (v,)\n");
}

std::vector<std::string> names_of(const std::vector<Operator>& operators) {
  std::vector<std::string> names;
  for (const Operator& one : operators) names.push_back(one.name);
  return names;
}

TEST(Operators, AreUpstreamsNodes) {
  const graph::Program program = residual();
  const auto operators = operators_of(program);
  EXPECT_EQ(names_of(operators),
            (std::vector<std::string>{"conv2d", "iadd", "Tensor.size", "Tensor.view"}));
  EXPECT_EQ(operators[0].first, 2U);
  // The other name and the release belong to the sum.
  EXPECT_EQ(operators[1].end, operators[2].first);
  EXPECT_EQ(program.statements[operators[1].end - 1].kind, graph::StatementKind::kRelease);
  EXPECT_EQ(operators[3].end, program.statements.size());
}

TEST(Operators, OfTorchOpsHaveTheirOverloads) {
  const graph::Program program =
      parsed(", x",
             "        n = torch.ops.aten.sym_size.int(x, 0)\n"
             "        y = torch._C._nn.gelu(x)\n        return (n, y)\n");
  EXPECT_EQ(names_of(operators_of(program)), (std::vector<std::string>{"sym_size.int", "gelu"}));
}

TEST(Operators, HavePatternsWithoutNames) {
  const graph::Program program = residual();
  const auto patterns = operator_patterns(program, operators_of(program));
  EXPECT_EQ(patterns[0], "conv2d[] torch.conv2d(_, _)");
  EXPECT_EQ(patterns[3], "Tensor.view[] _.view(_, -1)");
}

TEST(Ranges, LieBetweenCuts) {
  EXPECT_EQ(ranges_between({3, 1, 3, 9}, 5), (std::vector<Range>{{0, 1}, {1, 3}, {3, 5}}));
  EXPECT_EQ(ranges_between({}, 5), (std::vector<Range>{{0, 5}}));
  EXPECT_TRUE(ranges_between({}, 0).empty());
}

TEST(Ranges, AreCutWhereLittleLives) {
  const graph::Program program =
      parsed(", x",
             "        a = torch.relu(x)\n        b = torch.sin(a)\n        c = a + b\n"
             "        d = torch.cos(c)\n        e = c + d\n        f = torch.relu(e)\n"
             "        return (f,)\n");
  // Behind the first sum and behind the second one value lives; elsewhere two.
  EXPECT_EQ(ranges_of_size(program, operators_of(program), 2, 4),
            (std::vector<Range>{{0, 3}, {3, 6}}));
}

TEST(Ranges, DoNotCutARegion) {
  const graph::Program program = parsed(
      ", x",
      "        a = torch.relu(x)\n"
      "        enter = torch.amp.autocast_mode._enter_autocast('cpu', torch.bfloat16, True, None)\n"
      "        b = a @ a\n"
      "        leave = torch.amp.autocast_mode._exit_autocast(enter)\n"
      "        c = torch.relu(b)\n        return (c,)\n");
  const auto operators = operators_of(program);
  EXPECT_TRUE(check_range(operators, {0, 1}).is_ok());
  EXPECT_TRUE(check_range(operators, {1, 4}).is_ok());
  const base::Status cut = check_range(operators, {1, 3});
  EXPECT_EQ(cut.code(), base::Code::kInput);
  EXPECT_TRUE(tests::mentions(cut.to_string(), {"3", "cut at 1 or 4"}));
  EXPECT_EQ(single_operators(operators), (std::vector<Range>{{0, 1}, {4, 5}}));
  EXPECT_EQ(check_range(operators, {4, 6}).code(), base::Code::kInput);
  EXPECT_EQ(check_range(operators, {4, 4}).code(), base::Code::kInput);
}

TEST(Ranges, AreReadAsUpstreamWritesThem) {
  const auto read = [](const std::string& text) {
    const auto json = base::parse_json(text, "ranges");
    EXPECT_TRUE(json.is_ok());
    const auto ranges = read_ranges(*json, "samples/a/b", 10);
    EXPECT_TRUE(ranges.is_ok()) << ranges.status().to_string();
    return ranges.is_ok() ? *ranges : std::vector<Range>();
  };
  EXPECT_EQ(read("{\"subgraph_ranges\": [[0, 3], [5, -1], [9, 99], [4, 4]]}"),
            (std::vector<Range>{{0, 3}, {5, 9}, {9, 10}}));
  EXPECT_EQ(read("{\"samples/a/b\": {\"split_positions\": [4, 0]}, \"samples/c\": {}}"),
            (std::vector<Range>{{0, 4}, {4, 10}}));
  EXPECT_EQ(read(ranges_text("b", {{1, 2}}, 10)), (std::vector<Range>{{1, 2}}));
  const auto wrong = base::parse_json("{\"samples/c\": {}}", "ranges");
  EXPECT_EQ(read_ranges(*wrong, "samples/a/b", 10).status().code(), base::Code::kInput);
}

}  // namespace ranges_test
}  // namespace graphnet::split
