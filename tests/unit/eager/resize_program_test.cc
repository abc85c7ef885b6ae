// SPDX-License-Identifier: MIT
#include "eager/resize_program.h"

#include <gtest/gtest.h>

#include "graph/reads.h"
#include "sample/parser.h"

namespace graphnet::eager {
namespace resize_program_test {

graph::Program parsed(const std::string& parameters, const std::string& body) {
  auto program = sample::parse_model(
      "import torch\nclass GraphModule(torch.nn.Module):\n    def forward(self" + parameters +
          "):\n" + body,
      "model.py");
  EXPECT_TRUE(program.is_ok()) << program.status().to_string();
  return program.is_ok() ? std::move(*program) : graph::Program();
}

PlanArgument input(std::vector<std::int64_t> shape) {
  return {base::DType::kFloat32, std::move(shape), nullptr, false};
}

PlanArgument weight(std::vector<std::int64_t> shape) {
  return {base::DType::kFloat32, std::move(shape), nullptr, true};
}

std::vector<std::int64_t> integers_of(graph::Program& program) {
  std::vector<std::int64_t> integers;
  for (const std::int64_t* one : graph::written_integers(program)) integers.push_back(*one);
  return integers;
}

TEST(ResizeProgram, ViewsFollowABatchAndALength) {
  const graph::Program program = parsed(", x",
                                        "        a = x.view(2, 5, 3, 4)\n"
                                        "        b = a.transpose(1, 2)\n"
                                        "        c = b.reshape(6, 5, 4)\n"
                                        "        d = c.view(-1, 4)\n        return (d,)\n");
  auto resized = resize_program(program, {input({2, 5, 12})}, {input({3, 7, 12})});
  ASSERT_TRUE(resized.is_ok()) << resized.status().to_string();
  EXPECT_EQ(integers_of(resized->program),
            (std::vector<std::int64_t>{3, 7, 3, 4, 1, 2, 9, 7, 4, -1, 4}));
  EXPECT_EQ(resized->num_literals, 4U);
}

TEST(ResizeProgram, PatchesOfAnImageAreCounted) {
  const graph::Program program =
      parsed(", x, w, t",
             "        p = torch.conv2d(x, w, None, (4, 4), (0, 0), (1, 1), 1)\n"
             "        f = p.flatten(2)\n        s = f.transpose(1, 2)\n"
             "        e = t.expand(1, -1, -1)\n"
             "        c = torch.cat([e, s], dim = 1)\n"
             "        v = c.view(1, 17, 2, 4)\n        i = torch.arange(17)\n"
             "        g = v[(slice(None, None, None), slice(0, 17, None))]\n"
             "        return (g, i)\n");
  auto resized =
      resize_program(program, {input({1, 3, 16, 16}), weight({8, 3, 4, 4}), weight({1, 1, 8})},
                     {input({1, 3, 24, 24}), weight({8, 3, 4, 4}), weight({1, 1, 8})});
  ASSERT_TRUE(resized.is_ok()) << resized.status().to_string();
  // 36 patches and a token; what the image does not decide stays.
  EXPECT_EQ(integers_of(resized->program),
            (std::vector<std::int64_t>{4,  4,  0, 0, 1,  1, 1, 2,  1, 2, 1,
                                       -1, -1, 1, 1, 37, 2, 4, 37, 0, 37}));
}

// Neither extent of the windows' grid alone makes 16 of 9 windows.
TEST(ResizeProgram, BothExtentsOfAGridFollow) {
  const graph::Program program = parsed(", x",
                                        "        a = x.view(3, 8, 3, 8)\n"
                                        "        b = a.permute(0, 2, 1, 3)\n"
                                        "        c = b.reshape(9, 64)\n"
                                        "        d = c.view(3, 3, 8, 8)\n        return (d,)\n");
  auto resized = resize_program(program, {input({24, 24})}, {input({32, 32})});
  ASSERT_TRUE(resized.is_ok()) << resized.status().to_string();
  EXPECT_EQ(integers_of(resized->program),
            (std::vector<std::int64_t>{4, 8, 4, 8, 0, 2, 1, 3, 16, 64, 4, 4, 8, 8}));
}

TEST(ResizeProgram, ABatchOfOneGrows) {
  const graph::Program program = parsed(", x, t",
                                        "        e = t.expand(1, 2, 4)\n"
                                        "        c = torch.cat([x, e], 1)\n"
                                        "        v = c.view(1, 20)\n        return (v,)\n");
  auto resized = resize_program(program, {input({1, 3, 4}), weight({1, 2, 4})},
                                {input({6, 3, 4}), weight({1, 2, 4})});
  ASSERT_TRUE(resized.is_ok()) << resized.status().to_string();
  EXPECT_EQ(integers_of(resized->program), (std::vector<std::int64_t>{6, 2, 4, 1, 6, 20}));
}

// The sizes of batches of vmap, not its levels (4); sums of sizes. A level that nothing
// batches stays.
TEST(ResizeProgram, VmapAndSumsOfSizesFollow) {
  const graph::Program program =
      parsed(", x, y",
             "        n = torch._C._functorch._vmap_increment_nesting(10, 'error')\n"
             "        c = torch._C._functorch._add_batch_dim(x, 0, 4)\n"
             "        q = torch._C._functorch._remove_batch_dim(c, 4, 10, 0)\n"
             "        r = torch._C._functorch._remove_batch_dim(q, 3, 1, 0)\n"
             "        s = torch.ops.aten.sym_size.int(y, 0)\n"
             "        t = torch.sym_sum([10, s])\n"
             "        o = torch.ones((t,))\n        return (r, o)\n");
  auto resized = resize_program(program, {input({10}), input({4})}, {input({16}), input({5})});
  ASSERT_TRUE(resized.is_ok()) << resized.status().to_string();
  EXPECT_EQ(integers_of(resized->program),
            (std::vector<std::int64_t>{16, 0, 4, 4, 16, 0, 3, 1, 0, 0, 16}));
}

TEST(ResizeProgram, ABatchOfOneOfVmapGrows) {
  const graph::Program program = parsed(
      ", x",
      "        c = torch._C._functorch._add_batch_dim(x, 0, 1)\n"
      "        r = torch._C._functorch._remove_batch_dim(c, 1, 1, 0)\n        return (r,)\n");
  auto resized = resize_program(program, {input({1})}, {input({6})});
  ASSERT_TRUE(resized.is_ok()) << resized.status().to_string();
  EXPECT_EQ(integers_of(resized->program), (std::vector<std::int64_t>{0, 1, 1, 6, 0}));
}

TEST(ResizeProgram, SaysWhereShapesDoNotFit) {
  const graph::Program program = parsed(", x, p", "        y = x + p\n        return (y,)\n");
  const auto resized = resize_program(program, {input({1, 5, 4}), weight({1, 5, 4})},
                                      {input({1, 7, 4}), weight({1, 5, 4})});
  ASSERT_FALSE(resized.is_ok());
  EXPECT_NE(resized.status().message().find("model.py:4:9"), std::string::npos)
      << resized.status().to_string();
}

}  // namespace resize_program_test
}  // namespace graphnet::eager
