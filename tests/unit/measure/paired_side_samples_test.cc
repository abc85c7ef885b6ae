// SPDX-License-Identifier: MIT
//
// What a side sample is: its calls, the clock around each, and what happens between them.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "measure/paired.h"
#include "unit/measure/simulated_machine.h"

namespace graphnet::measure {
namespace paired_side_samples_test {

using base::Status;

// On both sides where either is short: the one without would find the other's caches.
TEST(SideSamples, AShortCallFollowsAnUntimedOneOfItsSide) {
  SimulatedMachine machine;
  machine.duration = [](Side side) { return side == kEager ? 4.9e6 : 5.1e6; };
  const auto result = machine.compare(exactly(4));
  ASSERT_TRUE(result.is_ok());
  EXPECT_TRUE(result->has_leading_call);
  EXPECT_EQ(std::count(machine.calls.begin(), machine.calls.end(), 'e'), 8);
  EXPECT_EQ(std::count(machine.calls.begin(), machine.calls.end(), 'b'), 8);
  EXPECT_EQ(machine.idle_waits, 8);
  EXPECT_EQ(machine.flushes, 0);
}

TEST(SideSamples, SideSamplesOfShortCallsHaveAsManyOnBothSidesEachClockedByItself) {
  SimulatedMachine machine;
  machine.duration = [](Side side) { return side == kEager ? 1000.0 : 30'000.0; };
  PairedHooks hooks;
  // What happens between the calls is in no clock.
  hooks.before_call = hooks.after_call = [&](Side, int, int) {
    machine.now_ns += 1'000'000;
    return Status::ok();
  };
  const auto result = machine.compare(exactly(4), hooks);
  ASSERT_TRUE(result.is_ok());
  EXPECT_DOUBLE_EQ(result->clock_ns, 20);
  EXPECT_EQ(result->calls_per_side_sample, (PerSide<int>{20, 20}));
  EXPECT_EQ(std::count(machine.calls.begin(), machine.calls.end(), 'e'), 4 * 21);
  EXPECT_EQ(std::count(machine.calls.begin(), machine.calls.end(), 'b'), 4 * 21);
  for (const Pair& pair : result->pairs) {
    EXPECT_DOUBLE_EQ(pair.call_ns[kEager], 1000) << "the clock's own cost is taken out";
    EXPECT_DOUBLE_EQ(pair.call_ns[kBackend], 30'000);
  }
}

TEST(SideSamples, ASideSampleCountsAsTheMeanOfItsCallsWithoutTheLeadingOne) {
  SimulatedMachine machine;
  int call = 0;
  machine.duration = [&](Side) { return 10'000.0; };
  PairedHooks hooks;
  hooks.before_call = [&](Side, int, int number) {
    call = number;
    return Status::ok();
  };
  PerSide<Warmup> warm;
  for (Warmup& side : warm) side.warmup_ns = {10'000};
  machine.duration = [&](Side) { return call == kLeadingCall ? 1e6 : 10'000.0 * (1 + call); };
  const auto result = time_paired(machine.sides(), warm, hooks, exactly(4), machine.instruments());
  ASSERT_TRUE(result.is_ok());
  EXPECT_EQ(result->calls_per_side_sample, (PerSide<int>{2, 2}));
  for (const Pair& pair : result->pairs) {
    EXPECT_DOUBLE_EQ(pair.call_ns[kEager], 15'000);
    EXPECT_DOUBLE_EQ(pair.call_ns[kBackend], 15'000);
  }
}

TEST(SideSamples, NumberOfCallsIsBounded) {
  const auto calls = [](double eager_ns, double backend_ns) {
    SimulatedMachine machine;
    machine.duration = [&](Side side) { return side == kEager ? eager_ns : backend_ns; };
    return machine.compare(exactly(4))->calls_per_side_sample;
  };
  EXPECT_EQ(calls(10, 10), (PerSide<int>{64, 64}));
  EXPECT_EQ(calls(19'000, 25'000), (PerSide<int>{2, 2}));
  EXPECT_EQ(calls(20'000, 25'000), (PerSide<int>{1, 1}));
  EXPECT_EQ(calls(300'000, 1'000), (PerSide<int>{3, 3})) << "1 ms of the longer side's";
  EXPECT_EQ(calls(9e6, 1'000), (PerSide<int>{1, 1}));
}

TEST(SideSamples, WhatIsPreparedBeforeEachCallIsOutsideTheClock) {
  for (const bool cold : {false, true}) {
    SimulatedMachine machine;
    machine.duration = [](Side) { return 10'000.0; };
    PairedSettings settings = exactly(4);
    if (cold) settings.cache = CacheMode::kCold;
    PerSide<SideCalls> sides = machine.sides();
    int prepared = 0;
    sides[kEager].prepare = [&] {
      ++prepared;
      machine.now_ns += 1'000'000;
      return Status::ok();
    };
    Warmup warm;
    warm.warmup_ns = {10'000};
    const auto result = time_paired(sides, {warm, warm}, {}, settings, machine.instruments());
    ASSERT_TRUE(result.is_ok());
    const int calls = cold ? 1 : 2;
    EXPECT_EQ(machine.flushes, cold ? 8 : 0);
    EXPECT_EQ(result->calls_per_side_sample, (PerSide<int>{calls, calls}));
    EXPECT_EQ(prepared, 4 * (calls + 1));
    EXPECT_DOUBLE_EQ(result->pairs[0].call_ns[kEager], 10'000);
  }
}

TEST(SideSamples, HooksSurroundEachCall) {
  SimulatedMachine machine;
  machine.duration = [](Side) { return 10'000.0; };
  std::string order;
  PairedHooks hooks;
  hooks.before_pair = [&](const PairPlan& plan) {
    order += "(" + std::to_string(plan.index) + (plan.backend_first ? "b" : "e");
    EXPECT_EQ(plan.calls, 2);
    EXPECT_TRUE(plan.has_leading_call);
    machine.now_ns += 1'000'000'000;
    return Status::ok();
  };
  const auto note = [&](const char* letters, Side side, int call) {
    order += letters[side];
    order += call == kLeadingCall ? "_" : std::to_string(call);
    machine.now_ns += 1'000'000'000;
    return Status::ok();
  };
  hooks.before_call = [&](Side side, int, int call) { return note("eb", side, call); };
  hooks.after_call = [&](Side side, int, int call) {
    EXPECT_EQ(machine.calls.back(), side == kEager ? 'e' : 'b');
    return note("EB", side, call);
  };
  hooks.after_side_sample = [&](Side, int) {
    order += ".";
    return Status::ok();
  };
  const auto result = machine.compare(exactly(4), hooks);
  ASSERT_TRUE(result.is_ok());
  std::string wanted;
  for (std::size_t i = 0; i < 4; ++i) {
    const bool backend_first = result->pairs[i].backend_first;
    wanted += "(" + std::to_string(i);
    wanted += backend_first ? "bb_B_b0B0b1B1.e_E_e0E0e1E1." : "ee_E_e0E0e1E1.b_B_b0B0b1B1.";
    EXPECT_DOUBLE_EQ(result->pairs[i].call_ns[kEager], 10'000);
  }
  EXPECT_EQ(order, wanted);
}

TEST(SideSamples, AWaitAmongSeveralCallsMarksTheirSideSample) {
  SimulatedMachine machine;
  int sample = 0;
  PairedHooks hooks;
  hooks.after_side_sample = [&](Side, int) {
    ++sample;
    return Status::ok();
  };
  // Between two calls, in every fourth side sample.
  hooks.before_call = [&](Side, int, int call) {
    if (sample % 4 == 1 && call == 1) *machine.counters.waited_ns += 5'000;
    return Status::ok();
  };
  machine.duration = [](Side) { return 10'000.0; };
  const auto result = machine.compare(exactly(8), hooks);
  ASSERT_TRUE(result.is_ok());
  int marked = 0;
  for (const Pair& pair : result->pairs) {
    marked += pair.is_disturbed();
    EXPECT_EQ(pair.waited_ns[kEager] + pair.waited_ns[kBackend], 0);
  }
  EXPECT_EQ(marked, 4);
}

TEST(SideSamples, AWaitWhileInputsAreRenewedIsNoPartOfTheSideSample) {
  SimulatedMachine machine;
  PairedHooks hooks;
  hooks.before_call = [&](Side, int, int call) {
    if (call == kLeadingCall) return Status::ok();
    machine.now_ns += 400'000;
    *machine.counters.waited_ns += 400'000;
    return Status::ok();
  };
  const auto result = machine.compare(exactly(4), hooks);
  ASSERT_TRUE(result.is_ok());
  for (const Pair& pair : result->pairs) {
    EXPECT_EQ(pair.waited_ns[kEager], 0);
    EXPECT_EQ(pair.marks[kEager], kUndisturbed);
    EXPECT_LT(pair.around_ns[kBackend], 1000) << "nor one of the host's steps";
  }
}

TEST(SideSamples, AWaitInWhichAnotherThreadRanStaysInTheHostsSteps) {
  SimulatedMachine machine;
  machine.counters.ran_ns = 0;
  PairedHooks hooks;
  hooks.before_call = [&](Side side, int, int call) {
    if (call == kLeadingCall || side == kEager) return Status::ok();
    machine.now_ns += 400'000;
    machine.counters.at_ns = machine.counters.end_ns = machine.now_ns;
    *machine.counters.waited_ns += 200'000;
    machine.counters.others_ran_ns += 200'000;
    *machine.counters.ran_ns += 400'000;
    return Status::ok();
  };
  const auto result = machine.compare(exactly(4), hooks);
  ASSERT_TRUE(result.is_ok());
  for (const Pair& pair : result->pairs) {
    EXPECT_GE(pair.around_ns[kBackend], 400'000);
    EXPECT_EQ(pair.steps_ran_ns[kBackend], 400'000);
    EXPECT_EQ(pair.steps_ran_ns[kEager], 0);
    EXPECT_EQ(pair.ran_ns[kBackend], 0) << "no part of the call";
  }
}

TEST(SideSamples, AWaitBesideTheClockIsNotTakenOut) {
  // The thread loses its core while the counters are read.
  SimulatedMachine machine;
  Instruments tools = machine.instruments();
  int readings = 0;
  tools.counters = [&] {
    if (++readings % 2 == 0) {
      machine.now_ns += 400'000;
      *machine.counters.waited_ns += 400'000;
    }
    return machine.counters;
  };
  Warmup warm;
  warm.warmup_ns = {1e6};
  const auto result = time_paired(machine.sides(), {warm, warm}, {}, exactly(4), tools);
  ASSERT_TRUE(result.is_ok());
  for (const Pair& pair : result->pairs) {
    EXPECT_EQ(pair.waited_ns[kEager], 0);
    EXPECT_EQ(pair.marks[kEager], kPreempted);
  }
}

TEST(SideSamples, ThreadsThatDoNotSleepAreCounted) {
  SimulatedMachine machine;
  machine.others_sleep = false;
  EXPECT_EQ(machine.compare(exactly(4))->idle_timeouts, 8);
}

}  // namespace paired_side_samples_test
}  // namespace graphnet::measure
