// SPDX-License-Identifier: MIT
#include "graph/index_outputs.h"

#include <gtest/gtest.h>

#include "sample/parser.h"

namespace graphnet::graph {
namespace index_outputs_test {

Program parse(const std::string& body) {
  auto program = sample::parse_model(
      "import torch\n\n\nclass GraphModule(torch.nn.Module):\n"
      "    def forward(self, a: torch.Tensor, b: torch.Tensor):\n" +
          body,
      "model.py");
  EXPECT_TRUE(program.is_ok()) << program.status().to_string();
  return *program;
}

std::vector<IndexOutput> outputs_of(const std::string& body) {
  return index_outputs(parse(body)).all;
}

/// The only index output of `x = <call>; return (b, x)`.
IndexOutput output_of(const std::string& call) {
  const auto found = outputs_of("        x = " + call + "\n        return (b, x)\n");
  EXPECT_EQ(found.size(), 1U) << call;
  if (found.empty()) return {};
  EXPECT_EQ(found[0].output, 1U) << call;
  EXPECT_EQ(found[0].values.variable, 0) << call;
  EXPECT_EQ(found[0].values.statement, 0U) << call;
  return found[0];
}

TEST(IndexOutputs, Argmax) {
  IndexOutput found = output_of("a.argmax(dim=-1)");
  EXPECT_EQ(found.selection, Selection::kArgmax);
  EXPECT_EQ(found.dim, -1);
  EXPECT_FALSE(found.keepdim);
  found = output_of("torch.argmin(a, 1, True)");
  EXPECT_EQ(found.selection, Selection::kArgmin);
  EXPECT_EQ(found.dim, 1);
  EXPECT_TRUE(found.keepdim);
  EXPECT_EQ(output_of("torch.argmax(a)").dim, std::nullopt);
  EXPECT_EQ(output_of("torch.argmax(input=a, dim=None)").dim, std::nullopt);
}

TEST(IndexOutputs, Argsort) {
  EXPECT_EQ(output_of("a.argsort()").dim, -1);
  EXPECT_FALSE(output_of("a.argsort(0)").largest);
  EXPECT_TRUE(output_of("torch.argsort(a, dim=0, descending=True)").largest);
  EXPECT_EQ(output_of("torch.argsort(a, dim=0, stable=True)").selection, Selection::kSort);
}

/// The only index output of `p = <call>; v = p[0]; x = p[1]; return (v, x)`.
IndexOutput part_of(const std::string& call) {
  const auto found = outputs_of("        p = " + call +
                                "\n        v = p[0]\n        x = p[1]\n        p = None\n"
                                "        return (v, x)\n");
  EXPECT_EQ(found.size(), 1U) << call;
  if (found.empty()) return {};
  EXPECT_EQ(found[0].output, 1U) << call;
  return found[0];
}

TEST(IndexOutputs, SecondResults) {
  IndexOutput found = part_of("torch.max(a, -1, keepdim=True)");
  EXPECT_EQ(found.selection, Selection::kArgmax);
  EXPECT_EQ(found.dim, -1);
  EXPECT_TRUE(found.keepdim);
  EXPECT_EQ(part_of("a.min(dim=0)").selection, Selection::kArgmin);
  found = part_of("a.topk(300)");
  EXPECT_EQ(found.selection, Selection::kTopK);
  EXPECT_EQ(found.dim, -1);
  EXPECT_TRUE(found.largest);
  EXPECT_TRUE(found.sorted);
  found = part_of("torch.topk(a, 3, 1, False, False)");
  EXPECT_EQ(found.dim, 1);
  EXPECT_FALSE(found.largest);
  EXPECT_FALSE(found.sorted);
  EXPECT_FALSE(part_of("a.sort()").largest);
  EXPECT_TRUE(part_of("torch.sort(a, dim=1, descending=True)").largest);
  EXPECT_EQ(part_of("a.kthvalue(2, 1)").dim, 1);
  EXPECT_EQ(part_of("a.kthvalue(2)").selection, Selection::kKthValue);
  EXPECT_EQ(part_of("torch.median(a, 0)").selection, Selection::kMedian);
  EXPECT_EQ(part_of("torch.mode(a)").dim, -1);
}

TEST(IndexOutputs, ThroughReshapesAndAliases) {
  const auto found = outputs_of(
      "        p = torch.topk(a, 3)\n        i = p[1]\n        p = None\n"
      "        j = i.unsqueeze(-1)\n        i = None\n        k = torch.reshape(j, (3, 1))\n"
      "        x = k.to(torch.int32)\n        y = x\n        return (y,)\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].selection, Selection::kTopK);
  EXPECT_EQ(found[0].values.statement, 0U);
}

TEST(IndexOutputs, WholePairsAndTuplesCountTheirParts) {
  const Program program =
      parse("        p = a.sort()\n        i = a.argmax()\n        return (b, p, i)\n");
  const IndexOutputs found = index_outputs(program);
  EXPECT_EQ(found.num_outputs, 4U);
  ASSERT_EQ(found.all.size(), 2U);
  EXPECT_EQ(found.all[0].output, 2U);
  EXPECT_EQ(found.all[0].selection, Selection::kSort);
  EXPECT_EQ(found.all[1].output, 3U);
}

TEST(IndexOutputs, WhatIsNoIndexOutput) {
  EXPECT_TRUE(outputs_of("        x = torch.max(a, b)\n        return (x,)\n").empty());
  EXPECT_TRUE(outputs_of("        x = a.max()\n        return (x,)\n").empty());
  EXPECT_TRUE(outputs_of("        p = a.max(1)\n        x = p[0]\n        return (x,)\n").empty());
  EXPECT_TRUE(
      outputs_of("        i = a.argmax(1)\n        x = i + 1\n        return (x,)\n").empty());
  EXPECT_TRUE(
      outputs_of("        i = a.argmax(1)\n        x = b[i]\n        return (x,)\n").empty());
  EXPECT_TRUE(outputs_of("        x = a.argmax(1)\n        x += 1\n        return (x,)\n").empty());
  EXPECT_TRUE(
      outputs_of("        x = a.argmax(1)\n        y = x.mul_(2)\n        return (x,)\n").empty());
  EXPECT_TRUE(
      outputs_of("        i = a.argmax(1)\n        x = i.transpose(0, 1)\n        return (x,)\n")
          .empty());
  EXPECT_TRUE(outputs_of("        return (a, b)\n").empty());
}

TEST(IndexOutputs, LastAssignmentCounts) {
  const auto found =
      outputs_of("        x = a.argmax(1)\n        x = b.argmin(0)\n        return (x,)\n");
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].selection, Selection::kArgmin);
  EXPECT_EQ(found[0].values.variable, 1);
  EXPECT_EQ(found[0].values.statement, 1U);
}

TEST(ExtraResults, AreCopiesTakenAtTheirPlaces) {
  const Program program = parse(
      "        x = a + 1\n        i = x.argmax(1)\n        x = None\n        j = b.argmin(0)\n"
      "        return (j, i)\n");
  const IndexOutputs found = index_outputs(program);
  ASSERT_EQ(found.all.size(), 2U);
  const Program extended = with_extra_results(program, {found.all[0].values, found.all[1].values});
  std::string text;
  for (const Statement& statement : extended.statements) {
    if (statement.kind == StatementKind::kRelease) continue;
    text += extended.variables[static_cast<std::size_t>(statement.target)] + " = " +
            format_expression(extended, statement.value) + "\n";
  }
  EXPECT_EQ(text,
            "x = a + 1\nvalue of x = x.clone()\ni = x.argmax(1)\nvalue of b = b.clone()\n"
            "j = b.argmin(0)\n");
  ASSERT_EQ(extended.results.size(), 4U);
  EXPECT_EQ(extended.variables[static_cast<std::size_t>(extended.results[2])], "value of b");
  EXPECT_EQ(extended.variables[static_cast<std::size_t>(extended.results[3])], "value of x");
}

}  // namespace index_outputs_test
}  // namespace graphnet::graph
