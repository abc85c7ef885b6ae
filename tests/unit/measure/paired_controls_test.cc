// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "measure/paired.h"
#include "unit/measure/simulated_machine.h"

namespace graphnet::measure {
namespace paired_controls_test {

using base::Status;

PairedSettings with_controls(int pairs) {
  PairedSettings settings = exactly(pairs);
  settings.control_every = 4;
  return settings;
}

TEST(Controls, EagerIsTimedAgainstItselfBetweenThePairs) {
  SimulatedMachine machine;
  PairedHooks hooks;
  std::string plans;
  hooks.before_pair = [&](const PairPlan& plan) {
    plans += plan.is_control ? 'c' : 'p';
    return Status::ok();
  };
  const auto result = machine.compare(with_controls(12), hooks);
  ASSERT_TRUE(result.is_ok());
  EXPECT_EQ(plans, "ppppcppppcppppc");
  EXPECT_EQ(result->controls.size(), 3U);
  ASSERT_TRUE(result->noise_floor.has_value());
  EXPECT_EQ(*result->noise_floor, 0);
}

TEST(Controls, OfLongCallsTakeTheirFirstHalfFromThePair) {
  SimulatedMachine machine;
  PairedHooks hooks;
  bool is_control = false;
  hooks.before_pair = [&](const PairPlan& plan) {
    is_control = plan.is_control;
    return Status::ok();
  };
  machine.duration = [&](Side) { return is_control ? 1.05e8 : 1e8; };
  const auto result = machine.compare(with_controls(4), hooks);
  ASSERT_TRUE(result.is_ok());
  EXPECT_EQ(std::count(machine.calls.begin(), machine.calls.end(), 'e'), 4 + 1);
  ASSERT_EQ(result->controls.size(), 1U);
  EXPECT_NEAR(result->controls[0].call_ns[kEager], 1e8, 100);
  EXPECT_NEAR(result->controls[0].call_ns[kBackend], 1.05e8, 100);
  EXPECT_NEAR(*result->noise_floor, 0.05, 1e-6);
}

TEST(Controls, AClaimMustLieBeyondItsOwnNoise) {
  // Every second side sample of eager in a row is slower: what a pair shows is as likely to be
  // that.
  SimulatedMachine machine;
  int eagers = 0;
  bool is_control = false;
  PairedHooks hooks;
  hooks.before_pair = [&](const PairPlan& plan) {
    is_control = plan.is_control;
    eagers = 0;
    return Status::ok();
  };
  double control_ratio = 1.05;
  int controls = 0;
  machine.duration = [&](Side side) {
    if (side == kBackend) return 1e7;
    if (!is_control) return 1.03e7;
    const bool is_first = eagers++ == 0;
    if (is_first) ++controls;
    // The first side sample of each plays eager and backend in turn.
    return is_first == (controls % 2 == 1) ? 1e7 * control_ratio : 1e7;
  };
  const auto noisy = machine.compare(with_controls(24), hooks);
  ASSERT_TRUE(noisy.is_ok());
  EXPECT_NEAR(*noisy->noise_floor, 0.05, 1e-9);
  EXPECT_NE(noisy->verdict, Verdict::kFaster);
  control_ratio = 1.001;
  controls = 0;
  const auto quiet = machine.compare(with_controls(24), hooks);
  ASSERT_TRUE(quiet.is_ok());
  EXPECT_EQ(quiet->verdict, Verdict::kFaster);
}

}  // namespace paired_controls_test
}  // namespace graphnet::measure
