// SPDX-License-Identifier: MIT
#include "eager/planner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>

#include "sample/arguments.h"
#include "sample/parser.h"
#include "sample/sample.h"
#include "support/mentions.h"
#include "unit/eager/sample_arguments.h"

namespace graphnet::eager {
namespace planner_test {

using tests::mentions;

/// A sample's plan with what it took to make it.
struct Planned {
  Plan plan;
  std::vector<CallShape> shapes;
  double milliseconds = 0;
};

Planned plan_sample(const sample::Sample& sample) {
  const SamplePlanArguments arguments(sample);
  Planned planned;
  const auto start = std::chrono::steady_clock::now();
  planned.plan = plan_program(sample.program, arguments.all, &planned.shapes);
  const std::chrono::duration<double, std::milli> elapsed =
      std::chrono::steady_clock::now() - start;
  planned.milliseconds = elapsed.count();
  return planned;
}

base::Result<Plan> measure_sample(const sample::Sample& sample, std::vector<CallShape>& shapes) {
  auto generated =
      sample::generate_arguments(sample.metas, sample.program.parameters, sample::kUpstreamSeed);
  if (!generated.is_ok()) return generated.status();
  const std::vector<EngineArgument> views = engine_arguments(*generated);
  GN_RETURN_IF_ERROR(Engine::finish_arguments(sample.program, views, sample::kUpstreamSeed));
  return measure_program(sample.program, views, &shapes);
}

std::string text_of(const CallShape& call, bool with_strides) {
  std::string text = call.name + " " + call.dtype + " [";
  for (const auto extent : call.shape) text += std::to_string(extent) + ",";
  text += "]";
  if (!with_strides) return text;
  for (std::size_t i = 0; i < call.shape.size(); ++i) {
    // Strides of extents of one say nothing.
    text += call.shape[i] == 1 ? " -" : " " + std::to_string(call.strides[i]);
  }
  return text;
}

/// First difference between plan and run; empty if there is none.
std::string difference(const std::vector<CallShape>& planned, const std::vector<CallShape>& real,
                       bool with_strides) {
  for (std::size_t i = 0; i < std::max(planned.size(), real.size()); ++i) {
    const std::string a = i < planned.size() ? text_of(planned[i], with_strides) : "nothing";
    const std::string b = i < real.size() ? text_of(real[i], with_strides) : "nothing";
    if (a != b) return "result " + std::to_string(i) + ": planned " + a + ", run " + b;
  }
  return "";
}

/// Checks that a sample's plan is what its run shows, unless it has too many bytes; prints a line.
void check_sample(const sample::Sample& sample, double most_bytes) {
  const Planned planned = plan_sample(sample);
  const Plan& plan = planned.plan;
  EXPECT_EQ(plan.unknown, "") << sample.name;
  std::cout << sample.name << " calls " << plan.num_calls << " ms " << planned.milliseconds
            << " gflop " << plan.flop / 1e9 << " args " << plan.argument_bytes << " peak "
            << plan.peak_live_bytes << " out " << plan.output_bytes << " live gflop "
            << plan.live_flop / 1e9 << " product " << plan.live_product_flop / 1e9 << " move "
            << plan.must_move_bytes;
  if (std::getenv("GRAPHNET_PLANNER_FLOP") != nullptr) {
    std::map<std::string, double> by_name;
    for (const CallShape& call : planned.shapes) by_name[call.name] += call.flop;
    for (const auto& [name, flop] : by_name) std::cout << "\n  " << name << " " << flop;
  }
  for (const auto& note : plan.notes) std::cout << " (" << note << ")";
  std::cout << std::endl;
  if (!plan.unknown.empty() || static_cast<double>(plan.argument_bytes) > most_bytes) return;
  std::vector<CallShape> shapes;
  const auto measured = measure_sample(sample, shapes);
  ASSERT_TRUE(measured.is_ok()) << measured.status().to_string();
  EXPECT_EQ(difference(planned.shapes, shapes, false), "") << sample.name;
  EXPECT_EQ(difference(planned.shapes, shapes, true), "") << sample.name;
  EXPECT_EQ(plan.output_bytes, measured->output_bytes) << sample.name;
  EXPECT_EQ(plan.peak_live_bytes, measured->peak_live_bytes) << sample.name;
  EXPECT_DOUBLE_EQ(plan.flop, measured->flop) << sample.name;
  EXPECT_DOUBLE_EQ(plan.live_flop, measured->live_flop) << sample.name;
  EXPECT_EQ(plan.must_move_bytes, measured->must_move_bytes) << sample.name;
  EXPECT_LE(plan.live_flop, plan.flop) << sample.name;
  EXPECT_LE(plan.must_move_bytes, plan.argument_bytes + plan.output_bytes) << sample.name;
}

// GRAPHNET_PLANNER_SAMPLES names another tree of samples to check, GRAPHNET_PLANNER_BYTES how many
// bytes of arguments are too many.
TEST(Planner, EqualsTheRunOnEverySample) {
  const double most_bytes = number_from_environment("GRAPHNET_PLANNER_BYTES", 3e9);
  for_each_sample("GRAPHNET_PLANNER_SAMPLES",
                  [&](const sample::Sample& sample) { check_sample(sample, most_bytes); });
}

base::Result<graph::Program> parse_body(const std::string& body) {
  auto program = sample::parse_model(
      "import torch\n\n\nclass GraphModule(torch.nn.Module):\n"
      "    def forward(self, a: torch.Tensor):\n" +
          body,
      "model.py");
  EXPECT_TRUE(program.is_ok()) << program.status().to_string();
  return program;
}

Plan plan_text(const std::string& body, const std::vector<std::int64_t>& shape) {
  const auto program = parse_body(body);
  return plan_program(*program, {{base::DType::kFloat32, shape, nullptr}});
}

TEST(Planner, GradientsHaveTheShapesOfWhatTheyAreOf) {
  const Plan plan = plan_text(
      "        w = torch.ones(5)\n        m = torch.ones(2, 3, 1)\n"
      "        n = torch.ops.aten.native_layer_norm_backward.default(a, a, [5], m, m, w, w, [True, "
      "False, True])\n"
      "        k = torch.ones(4, 3, 1)\n        g = torch.ones(2, 4, 5)\n"
      "        c = torch.ops.aten.convolution_backward.default(g, a, k, [4], [1], [0], [1], False, "
      "[0], 1, [True, True, True])\n"
      "        x = n[0]; y = n[2]; z = c[0]; u = c[1]; v = c[2]\n"
      "        return (x, y, z, u, v)\n",
      {2, 3, 5});
  EXPECT_EQ(plan.unknown, "");
  EXPECT_EQ(plan.output_bytes, 4 * (30 + 5 + 30 + 12 + 4));
}

TEST(Planner, CountsBytesOfWhatIsAlive) {
  const Plan plan = plan_text(
      "        x = a * 2\n        y = x + 1\n        x = None\n        z = y.view(-1)\n"
      "        y = None\n        return (z,)\n",
      {1024, 1024});
  EXPECT_EQ(plan.unknown, "");
  EXPECT_EQ(plan.argument_bytes, 1 << 22);
  EXPECT_EQ(plan.output_bytes, 1 << 22);
  EXPECT_EQ(plan.peak_live_bytes, 2 << 22);
  EXPECT_EQ(plan.num_calls, 3U);
  EXPECT_DOUBLE_EQ(plan.flop, 2.0 * (1 << 20));
}

TEST(Planner, TakesNoMemoryForPetabytes) {
  const Plan plan = plan_text("        x = a @ a\n        return (x,)\n", {1 << 24, 1 << 24});
  EXPECT_EQ(plan.unknown, "");
  EXPECT_EQ(plan.output_bytes, std::int64_t{1} << 50U);
  EXPECT_DOUBLE_EQ(plan.flop, 2 * 0x1p72);
}

TEST(Planner, SizesBehindAMaskAreUpperBounds) {
  const Plan plan = plan_text(
      "        m = a > 0\n        x = torch.masked_select(a, m)\n        return (x,)\n", {8});
  EXPECT_EQ(plan.unknown, "");
  EXPECT_EQ(plan.output_bytes, 32);
  ASSERT_EQ(plan.notes.size(), 1U);
}

/// A program with the shapes that its plan and a run on ones give.
struct PlannedAndRun {
  Plan plan;
  std::vector<CallShape> planned;
  std::vector<CallShape> run;
};

PlannedAndRun plan_and_run_on_ones(const std::string& body,
                                   const std::vector<std::int64_t>& shape) {
  PlannedAndRun both;
  const auto program = parse_body(body);
  both.plan = plan_program(*program, {{base::DType::kFloat32, shape, nullptr}}, &both.planned);
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) count *= extent;
  std::vector<float> ones(static_cast<std::size_t>(count), 1.0F);
  EngineArgument argument;
  argument.dtype = base::DType::kFloat32;
  argument.shape = shape;
  argument.data = ones.data();
  const auto measured = measure_program(*program, {argument}, &both.run);
  EXPECT_TRUE(measured.is_ok()) << measured.status().to_string();
  return both;
}

// A run whose masks are true everywhere is what the plan says.
TEST(Planner, AMaskAsIndexSelectsAtMostEverything) {
  for (const char* const body : {
           "        m = a > 0\n        x = a[m]\n        return (x,)\n",
           "        b = a[0]\n        m = b > 0\n        x = a[(slice(None, None, None), m)]\n"
           "        return (x,)\n",
           "        b = a[(slice(None, None, None), slice(None, None, None), 0)]\n"
           "        m = b > 0\n        x = a[m]\n"
           "        return (x,)\n",
           "        b = a[(slice(None, None, None), 0, 0)]\n        m = b > 0\n"
           "        x = a[(m, slice(None, None, None), 0)]\n        return (x,)\n",
           // Broadcast with an index of one element, of as many elements, and with a second mask.
           "        b = a[(slice(None, None, None), 0, 0)]\n        m = b > 0\n"
           "        i = torch.arange(0, 1)\n        x = a[(m, i)]\n        return (x,)\n",
           "        b = a[(slice(None, None, None), 0, 0)]\n        m = b > 0\n"
           "        i = torch.arange(0, 4)\n        x = a[(m, slice(None, None, None), i)]\n"
           "        return (x,)\n",
           "        b = a[(slice(None, None, None), 0, 0)]\n        m = b > 0\n"
           "        c = a[(0, 0, slice(None, None, None))]\n        n = c > 0\n"
           "        x = a[(m, slice(None, None, None), n)]\n        return (x,)\n",
       }) {
    const PlannedAndRun both = plan_and_run_on_ones(body, {4, 3, 4});
    EXPECT_EQ(both.plan.unknown, "") << body;
    EXPECT_EQ(difference(both.planned, both.run, true), "") << body;
    EXPECT_EQ(both.plan.notes,
              std::vector<std::string>{"sizes behind indexing by a mask are upper bounds"})
        << body;
  }
}

TEST(Planner, SizesReadBehindAMaskAreUpperBounds) {
  const PlannedAndRun both = plan_and_run_on_ones(
      "        m = a > 0\n        x = a[m]\n        n = torch.ops.aten.sym_size.int(x, 0)\n"
      "        ok = n <= 12\n"
      "        check = torch.ops.aten._assert_scalar.default(ok, 'too many')\n"
      "        y = torch.ones((n,))\n        z = x * y\n        return (z,)\n",
      {3, 4});
  EXPECT_EQ(both.plan.unknown, "");
  EXPECT_EQ(both.plan.output_bytes, 48);
  EXPECT_EQ(difference(both.planned, both.run, true), "");
}

TEST(Planner, AMaskOfOneElementAsIndexIsUnknown) {
  const Plan plan = plan_text(
      "        s = a.sum()\n        m = s > 0\n        x = a[m]\n        return (x,)\n", {8});
  EXPECT_TRUE(mentions(plan.unknown, {"model.py:8:9:", "mask"}));
}

// Unknown values selected by a mask that follows from known ones.
TEST(Planner, AKnownMaskSelectsWhatItSelects) {
  const PlannedAndRun both = plan_and_run_on_ones(
      "        i = torch.arange(0, 4)\n        m = i > 1\n        x = a[m]\n"
      "        y = a[(slice(None, None, None), m)]\n        w = torch.where(m)\n        z = w[0]\n"
      "        v = torch.argwhere(m)\n        return (x, y, z, v)\n",
      {4, 4});
  EXPECT_EQ(both.plan.unknown, "");
  EXPECT_EQ(both.plan.output_bytes, 64 + 2 * 16);
  EXPECT_EQ(both.plan.notes, std::vector<std::string>());
  EXPECT_EQ(difference(both.planned, both.run, true), "");
}

TEST(Planner, PlacesOfNonzeroElementsAreAtMostAll) {
  for (const char* const body : {"        x = torch.nonzero(a)\n        return (x,)\n",
                                 "        m = a > 0\n        x = torch.where(m)\n"
                                 "        y = x[1]\n        return (y,)\n",
                                 "        x = torch.argwhere(a)\n        return (x,)\n"}) {
    const PlannedAndRun both = plan_and_run_on_ones(body, {4, 3});
    EXPECT_EQ(both.plan.unknown, "") << body;
    EXPECT_EQ(difference(both.planned, both.run, true), "") << body;
    EXPECT_EQ(both.plan.notes.size(), 1U) << body;
  }
}

// The result is as large as what is written to, whatever the mask says.
TEST(Planner, AssignmentByAMaskIsExact) {
  for (const char* const body :
       {"        x = a * 2\n        m = a > 0\n        x[m] = 0.0\n        y = x + 1\n"
        "        return (y,)\n",
        "        x = a * 2\n        m = a > 0\n        v = a[m]\n        x[m] = v\n"
        "        y = x + 1\n        return (y,)\n"}) {
    const PlannedAndRun both = plan_and_run_on_ones(body, {4, 3});
    EXPECT_EQ(both.plan.unknown, "") << body;
    EXPECT_EQ(difference(both.planned, both.run, true), "") << body;
  }
}

TEST(Planner, AnIntegerThatFollowsFromDataIsUnknownWithItsLocation) {
  const Plan plan = plan_text(
      "        s = a.sum()\n        n = s.long()\n        i = n.item()\n"
      "        x = torch.zeros(i)\n        return (x,)\n",
      {8});
  EXPECT_NE(plan.unknown.find("model.py:8:"), std::string::npos) << plan.unknown;
  EXPECT_EQ(plan.argument_bytes, 32);
  EXPECT_EQ(plan.flop, 0);
}

}  // namespace planner_test
}  // namespace graphnet::eager
