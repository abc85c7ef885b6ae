// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "eager/planner.h"
#include "sample/parser.h"

namespace graphnet::eager {
namespace live_cost_test {

/// Plan of a program over a float32 [8, 8] input `a`, a float32 [8, 8] weight `w` and int64 [2]
/// identifiers `i`.
Plan plan_of(const std::string& body) {
  const auto program = sample::parse_model(
      "import torch\n\n\nclass GraphModule(torch.nn.Module):\n"
      "    def forward(self, a: torch.Tensor, w: torch.nn.parameter.Parameter, i: "
      "torch.Tensor):\n" +
          body,
      "model.py");
  EXPECT_TRUE(program.is_ok()) << program.status().to_string();
  const Plan plan = plan_program(*program, {{base::DType::kFloat32, {8, 8}, nullptr, false},
                                            {base::DType::kFloat32, {8, 8}, nullptr, true},
                                            {base::DType::kInt64, {2}, nullptr, false}});
  EXPECT_EQ(plan.unknown, "");
  return plan;
}

constexpr int kBytes = 8 * 8 * 4;
constexpr double kProductFlop = 2 * 8 * 8 * 8;

TEST(LiveCost, CountsWhatTheResultsDependOn) {
  const Plan plan =
      plan_of("        d = a @ w\n        x = a + 1\n        y = x @ w\n        return (y,)\n");
  EXPECT_EQ(plan.flop, 2 * kProductFlop + 64);
  EXPECT_EQ(plan.live_flop, kProductFlop + 64);
  EXPECT_EQ(plan.live_product_flop, kProductFlop);
  EXPECT_EQ(plan.must_move_bytes, 3 * kBytes);
}

TEST(LiveCost, WorkOnWeightsAloneMayBeDoneOnce) {
  const Plan plan =
      plan_of("        v = w @ w\n        t = v.t()\n        y = a + t\n        return (y,)\n");
  EXPECT_EQ(plan.live_product_flop, 0);
  EXPECT_EQ(plan.live_flop, 64);
  EXPECT_EQ(plan.must_move_bytes, 2 * kBytes);
}

TEST(LiveCost, AViewReadsItsPart) {
  EXPECT_EQ(plan_of("        h = a[slice(0, 2, None)]\n        y = h + 1\n        return (y,)\n")
                .must_move_bytes,
            kBytes / 4 + kBytes / 4);
  EXPECT_EQ(plan_of("        h = a[slice(0, 4, None)]\n        g = a[slice(2, 6, None)]\n"
                    "        y = h + 1\n        z = g + 1\n        return (y, z)\n")
                .must_move_bytes,
            kBytes * 6 / 8 + kBytes);
  EXPECT_EQ(plan_of("        c = a[(slice(None, None, None), 0)]\n        y = c + 1\n"
                    "        return (y,)\n")
                .must_move_bytes,
            2 * 8 * 4);
}

TEST(LiveCost, ReturnedArgumentsAreNotMoved) {
  EXPECT_EQ(plan_of("        h = a[0]\n        return (h,)\n").must_move_bytes, 0);
  EXPECT_EQ(plan_of("        return (w, a)\n").must_move_bytes, 0);
  EXPECT_EQ(
      plan_of("        t = w.t()\n        y = a @ t\n        return (t, y, w)\n").must_move_bytes,
      3 * kBytes);
  EXPECT_EQ(plan_of("        return ()\n").must_move_bytes, 0);
}

TEST(LiveCost, GathersReadTheirIndicesForSure) {
  const Plan plan =
      plan_of("        e = torch.nn.functional.embedding(i, w)\n        return (e,)\n");
  EXPECT_EQ(plan.must_move_bytes, 2 * 8 + 2 * 8 * 4);
}

TEST(LiveCost, WritesThroughViewsAreLive) {
  const Plan plan = plan_of(
      "        t = torch.zeros(8, 8)\n        y = a @ w\n        t[slice(0, 8, None)] = y\n"
      "        return (t,)\n");
  EXPECT_EQ(plan.live_product_flop, kProductFlop);
}

}  // namespace live_cost_test
}  // namespace graphnet::eager
