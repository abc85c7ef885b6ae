// SPDX-License-Identifier: MIT
#include "inductor/module_text.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "graph/graph_text.h"
#include "plugin/host_services.h"

namespace graphnet::inductor {
namespace module_text_test {

/// A graph from its text form, as a plugin gets it.
class ModuleTextTest : public ::testing::Test {
 protected:
  ModuleText write(const std::string& lines, const std::vector<const void*>& known = {},
                   bool weights_are_arguments = false) {
    auto parsed = graph::parse_graph("graph \"t\"\n" + lines, "test");
    EXPECT_TRUE(parsed.is_ok()) << parsed.status().to_string();
    graph_ = std::move(parsed).value();
    plugin::Signature signature = plugin::signature_of(graph_);
    if (!known.empty()) signature.known = known;
    const gn_graph graph(signature);
    return module_text(graph.body->view(), "family/model", weights_are_arguments);
  }
  graph::Graph graph_;
};

TEST_F(ModuleTextTest, IsAModuleOfOneCallALine) {
  const ModuleText module = write(
      "%0: f32[2,4] = input \"x\"\n"
      "%1: f32[3,4] = weight \"w\"\n"
      "%2: f32[2,3] = aten::linear(input=%0, weight=%1, bias=none)  # model.py:4:5\n"
      "%3: f32[2,3] = aten::add.Scalar(self=%2, other=0.5, alpha=1)\n"
      "return %3, %0\n");
  EXPECT_EQ(
      module.source,
      "# family/model\n"
      "# Read by compile.py.\n"
      "INPUTS = [\n"
      "    (torch.float32, [2, 4]),  # x\n"
      "]\n"
      "ATTRIBUTES = [\n"
      "    ('w0', True, torch.float32, [3, 4], None),  # w\n"
      "]\n\n"
      "class Module(Base):\n"
      "    def forward(self, v0):\n"
      "        v1 = self.w0\n"
      "        v2, = call(aten.linear.default, input=v0, weight=v1, bias=None)  # model.py:4:5\n"
      "        v3, = call(aten.add.Scalar, self=v2, other=0.5, alpha=1)\n"
      "        return (v3, v0, )\n");
  ASSERT_EQ(module.arguments.size(), 1U);
  EXPECT_FALSE(module.arguments[0].is_weight);
  EXPECT_EQ(module.weights, std::vector<std::uint32_t>{0});
  EXPECT_TRUE(module.constants.empty());
}

TEST_F(ModuleTextTest, WritesEveryKindOfArgument) {
  const ModuleText module = write(
      "%0: f32[1,4] = input \"x\"\n"
      "%1: f32[1,4], _ = aten::max.dim(self=%0, dim=-1, keepdim=true)\n"
      "%2: f32[2,4] = aten::cat(tensors=(%0, %1), dim=0)\n"
      "%3: f16[2,4] = aten::to.dtype(self=%2, dtype=f16, non_blocking=false, copy=false, "
      "memory_format=\"contiguous_format\")\n"
      "%4: f16[2,4] = aten::clamp(self=%3, min=-inf, max=1e-05)\n"
      "%5: f16[4,2] = aten::permute(self=%4, dims=ints[1,0])\n"
      "return %5\n");
  const auto has = [&](const std::string& line) {
    return module.source.find(line) != std::string::npos;
  };
  EXPECT_TRUE(has("v1, _, = call(aten.max.dim, self=v0, dim=-1, keepdim=True)")) << module.source;
  EXPECT_TRUE(has("tensors=[v0, v1], dim=0")) << module.source;
  EXPECT_TRUE(has("dtype=torch.float16, non_blocking=False")) << module.source;
  EXPECT_TRUE(has("memory_format='contiguous_format'")) << module.source;
  EXPECT_TRUE(has("min=float('-inf'), max=1.0000000000000001e-05")) << module.source;
  EXPECT_TRUE(has("dims=[1, 0]")) << module.source;
}

TEST_F(ModuleTextTest, AWeightOfOneElementIsAnArgument) {
  const ModuleText module = write(
      "%0: f32[4] = input \"x\"\n"
      "%1: f32[1] = weight \"slope\"\n"
      "%2: f32[4] = aten::prelu(self=%0, weight=%1)\n"
      "return %2\n");
  ASSERT_EQ(module.arguments.size(), 2U);
  EXPECT_TRUE(module.arguments[1].is_weight);
  EXPECT_TRUE(module.weights.empty());
  EXPECT_NE(module.source.find("def forward(self, v0, v1):"), std::string::npos) << module.source;
}

TEST_F(ModuleTextTest, AllWeightsAreArgumentsIfAsked) {
  const ModuleText module = write(
      "%0: f32[4] = input \"x\"\n"
      "%1: f32[4] = weight \"w\"\n"
      "%2: f32[4] = aten::mul.Tensor(self=%0, other=%1)\n"
      "return %2\n",
      {}, /*weights_are_arguments=*/true);
  ASSERT_EQ(module.arguments.size(), 2U);
  EXPECT_TRUE(module.arguments[1].is_weight);
  EXPECT_TRUE(module.weights.empty());
}

TEST_F(ModuleTextTest, LeavesOutWhatNobodyReads) {
  const ModuleText module = write(
      "%0: f32[4] = input \"x\"\n"
      "%1: f32[4] = input \"unread\"\n"
      "%2: f32[4] = weight \"unread_weight\"\n"
      "%3: f32[4] = aten::relu(self=%0)\n"
      "return %3\n");
  EXPECT_EQ(module.arguments.size(), 1U);
  EXPECT_TRUE(module.weights.empty());
}

TEST_F(ModuleTextTest, KnownWeightsAreElementsInTheData) {
  const float weight[] = {1, 2, 3, 4};
  const ModuleText module = write(
      "%0: f32[4] = input \"x\"\n"
      "%1: f32[4] = weight \"w\"\n"
      "%2: f32[4] = aten::mul.Tensor(self=%0, other=%1)\n"
      "return %2\n",
      {nullptr, weight});
  ASSERT_EQ(module.constants.size(), 1U);
  EXPECT_EQ(module.constants[0].value, 1);
  ASSERT_EQ(module.data.size(), sizeof(weight));
  EXPECT_EQ(std::memcmp(module.data.data(), weight, sizeof(weight)), 0);
  EXPECT_NE(module.source.find("('c1', True, torch.float32, [4], 0),"), std::string::npos)
      << module.source;
}

}  // namespace module_text_test
}  // namespace graphnet::inductor
