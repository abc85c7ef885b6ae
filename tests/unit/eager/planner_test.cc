// SPDX-License-Identifier: MIT
#include "eager/planner.h"

#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>

#include "sample/parser.h"
#include "sample/replay.h"
#include "sample/sample.h"
#include "unit/eager/sample_arguments.h"

namespace graphnet::eager {
namespace {

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
  auto replayed = sample::replay(sample.metas, sample.program.parameters, sample::kReplaySeed);
  if (!replayed.is_ok()) return replayed.status();
  const std::vector<EngineArgument> views = engine_arguments(*replayed);
  GN_RETURN_IF_ERROR(Engine::finish_replay(sample.program, views, sample::kReplaySeed));
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

std::string samples_root() {
  const char* given = std::getenv("GRAPHNET_PLANNER_SAMPLES");
  return given != nullptr ? given : std::string(GRAPHNET_SOURCE_DIR) + "/samples";
}

// GRAPHNET_PLANNER_SAMPLES names another tree of samples to check, GRAPHNET_PLANNER_BYTES how many
// bytes of arguments are too many.
TEST(Planner, EqualsTheRunOnEverySample) {
  const auto folders = sample::discover(samples_root());
  ASSERT_TRUE(folders.is_ok());
  const char* most = std::getenv("GRAPHNET_PLANNER_BYTES");
  const double most_bytes = most != nullptr ? std::atof(most) : 3e9;
  for (const auto& folder : *folders) {
    const auto loaded = sample::load_sample(folder);
    ASSERT_TRUE(loaded.is_ok()) << loaded.status().to_string();
    const Planned planned = plan_sample(*loaded);
    const Plan& plan = planned.plan;
    EXPECT_EQ(plan.unknown, "") << loaded->name;
    std::cout << loaded->name << " calls " << plan.num_calls << " ms " << planned.milliseconds
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
    if (!plan.unknown.empty() || static_cast<double>(plan.argument_bytes) > most_bytes) continue;
    std::vector<CallShape> shapes;
    const auto measured = measure_sample(*loaded, shapes);
    ASSERT_TRUE(measured.is_ok()) << measured.status().to_string();
    EXPECT_EQ(difference(planned.shapes, shapes, false), "") << loaded->name;
    EXPECT_EQ(difference(planned.shapes, shapes, true), "") << loaded->name;
    EXPECT_EQ(plan.output_bytes, measured->output_bytes) << loaded->name;
    EXPECT_EQ(plan.peak_live_bytes, measured->peak_live_bytes) << loaded->name;
    EXPECT_DOUBLE_EQ(plan.flop, measured->flop) << loaded->name;
    EXPECT_DOUBLE_EQ(plan.live_flop, measured->live_flop) << loaded->name;
    EXPECT_EQ(plan.must_move_bytes, measured->must_move_bytes) << loaded->name;
    EXPECT_LE(plan.live_flop, plan.flop) << loaded->name;
    EXPECT_LE(plan.must_move_bytes, plan.argument_bytes + plan.output_bytes) << loaded->name;
  }
}

Plan plan_text(const std::string& body, const std::vector<std::int64_t>& shape) {
  const auto program = sample::parse_model(
      "import torch\n\n\nclass GraphModule(torch.nn.Module):\n"
      "    def forward(self, a: torch.Tensor):\n" +
          body,
      "model.py");
  EXPECT_TRUE(program.is_ok()) << program.status().to_string();
  return plan_program(*program, {{base::DType::kFloat32, shape, nullptr}});
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

TEST(Planner, AnIntegerThatFollowsFromDataIsUnknownWithItsPlace) {
  const Plan plan = plan_text(
      "        s = a.sum()\n        n = s.long()\n        i = n.item()\n"
      "        x = torch.zeros(i)\n        return (x,)\n",
      {8});
  EXPECT_NE(plan.unknown.find("model.py:8:"), std::string::npos) << plan.unknown;
  EXPECT_EQ(plan.argument_bytes, 32);
  EXPECT_EQ(plan.flop, 0);
}

}  // namespace
}  // namespace graphnet::eager
