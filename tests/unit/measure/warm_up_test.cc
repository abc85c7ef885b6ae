// SPDX-License-Identifier: MIT
//
// What comes before the pairs: calls of a side until their times settle.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "measure/paired.h"
#include "unit/measure/simulated_machine.h"

namespace graphnet::measure {
namespace warm_up_test {

using base::Code;
using base::Status;

TEST(Warmup, EndsWhenTheMedianSettles) {
  SimulatedMachine machine;
  double slow = 8;
  machine.duration = [&](Side) { return 1e6 * (slow = 1 + (slow - 1) * 0.7); };
  bool kept = false;
  SideCalls side = machine.sides()[kEager];
  side.after_first = [&] {
    kept = true;
    machine.now_ns += 5'000'000;
    return Status::ok();
  };
  const auto warm = warm_up(side, PairedSettings(), machine.instruments());
  ASSERT_TRUE(warm.is_ok());
  EXPECT_TRUE(kept);
  EXPECT_NEAR(warm->first_call_ns, 5.9e6, 100);
  EXPECT_GT(warm->warmup_ns.size(), 15U);
  EXPECT_LT(warm->warmup_ns.size(), 25U);
  EXPECT_LT(warm->typical_ns(), 1.05e6);
}

TEST(Warmup, TakesTenCallsIfNothingChangesAndNoMoreThanItsTime) {
  const auto calls = [](double call_ns) {
    SimulatedMachine machine;
    machine.duration = [&](Side) { return call_ns; };
    return warm_up(machine.sides()[kEager], PairedSettings(), machine.instruments())
        ->warmup_ns.size();
  };
  EXPECT_EQ(calls(1e5), 10U);
  EXPECT_EQ(calls(0.5e9), 4U);
  EXPECT_EQ(calls(5e9), 1U);
}

TEST(Warmup, RenewsInputsBeforeEveryCallButTheFirst) {
  SimulatedMachine machine;
  SideCalls side = machine.sides()[kEager];
  std::string order;
  const auto note = [&](char letter) {
    return [&order, letter] {
      order += letter;
      return Status::ok();
    };
  };
  side.prepare = note('p');
  side.renew = note('r');
  side.after_first = note('k');
  machine.duration = [&](Side) {
    order += 'c';
    return 1e5;
  };
  ASSERT_TRUE(warm_up(side, PairedSettings(), machine.instruments()).is_ok());
  EXPECT_EQ(order.substr(0, 9), "pckprcprc");
  EXPECT_EQ(std::count(order.begin(), order.end(), 'r'), 10);
}

// As side samples do: a short call comes behind one that is not clocked.
TEST(Warmup, CallsOfSeveralThreadsBeginWhenOthersSleep) {
  for (const double call_ns : {1e5, 6e6}) {
    SimulatedMachine machine;
    std::string order;
    SideCalls side = machine.sides()[kEager];
    side.renew = [&] {
      order += 'r';
      return Status::ok();
    };
    machine.duration = [&](Side) {
      order += 'c';
      return call_ns;
    };
    Instruments tools = machine.instruments();
    tools.threads = 2;
    const auto warm = warm_up(side, PairedSettings(), tools);
    ASSERT_TRUE(warm.is_ok());
    EXPECT_EQ(warm->warmup_ns.size(), 10U);
    EXPECT_EQ(machine.idle_waits, 10);
    EXPECT_EQ(order.size(), call_ns < 5e6 ? 41U : 21U) << order;
    EXPECT_EQ(order.substr(0, 5), "crcrc");
  }
}

TEST(Warmup, LeavesOutTheThreadsOwnWaits) {
  SimulatedMachine machine;
  SideCalls side = machine.sides()[kEager];
  side.renew = [&] {
    machine.now_ns += 700'000;
    *machine.counters.waited_ns += 600'000;
    return Status::ok();
  };
  machine.duration = [&](Side) {
    *machine.counters.waited_ns += 4'000'000;
    machine.counters.at_ns = machine.counters.end_ns = machine.now_ns;
    return 5e6;
  };
  const auto warm = warm_up(side, PairedSettings(), machine.instruments());
  ASSERT_TRUE(warm.is_ok());
  EXPECT_NEAR(warm->typical_ns(), 1e6, 100);
  EXPECT_NEAR(warm->around_ns.back(), 1e5, 1000);
  machine.duration = [&](Side) {
    *machine.counters.waited_ns += 4'000'000;
    machine.counters.others_ran_ns += 5'000'000;
    return 5e6;
  };
  EXPECT_NEAR(warm_up(side, PairedSettings(), machine.instruments())->typical_ns(), 5e6, 100)
      << "somebody else may have worked meanwhile";
}

TEST(Warmup, FailuresSayWhere) {
  SimulatedMachine machine;
  int calls = 0;
  SideCalls side;
  side.call = [&] { return ++calls == 4 ? Status(Code::kPlugin, "refused") : Status::ok(); };
  const auto warm = warm_up(side, PairedSettings(), machine.instruments());
  ASSERT_FALSE(warm.is_ok());
  EXPECT_EQ(warm.status().context().back(), "warm-up 3");
  calls = 3;
  EXPECT_EQ(warm_up(side, PairedSettings(), machine.instruments()).status().context().back(),
            "first call");
}

}  // namespace warm_up_test
}  // namespace graphnet::measure
