// SPDX-License-Identifier: MIT
#include "measure/sequential.h"

#include <gtest/gtest.h>

#include <string>

#include "measure/clock.h"

namespace graphnet::measure {
namespace sequential_test {

using base::Code;
using base::Status;

Status nothing() {
  return Status::ok();
}

// Spins instead of sleeping: a duration may be longer than asked for, never shorter.
Status spin(std::int64_t duration_ns) {
  const auto begin = monotonic_raw_ns();
  while (monotonic_raw_ns() - begin < duration_ns) {
  }
  return Status::ok();
}

TEST(TimeSequential, CallsInOrder) {
  std::string order;
  const auto note = [&order](char letter) {
    return [&order, letter] {
      order += letter;
      return Status::ok();
    };
  };
  const auto side = time_sequential({note('p'), note('c'), note('k')}, {1, 2});
  ASSERT_TRUE(side.is_ok());
  EXPECT_EQ(order, "pckpcpcpc");
  EXPECT_EQ(side->warmup_ns.size(), 1U);
  EXPECT_EQ(side->trials_ns.size(), 2U);
}

TEST(TimeSequential, DefaultsAreUpstreams) {
  const auto side = time_sequential({nullptr, nothing, nullptr}, {});
  ASSERT_TRUE(side.is_ok());
  EXPECT_EQ(side->warmup_ns.size(), 3U);
  EXPECT_EQ(side->trials_ns.size(), 5U);
}

TEST(TimeSequential, EachDurationIsThatOfItsCall) {
  int call = 0;
  const auto side =
      time_sequential({nullptr, [&] { return spin(++call * 10'000); }, nullptr}, {1, 2});
  ASSERT_TRUE(side.is_ok());
  EXPECT_GE(side->first_call_ns, 10'000);
  EXPECT_GE(side->warmup_ns.at(0), 20'000);
  EXPECT_GE(side->trials_ns.at(0), 30'000);
  EXPECT_GE(side->trials_ns.at(1), 40'000);
}

TEST(TimeSequential, PreparingAndKeepingAreOutsideEveryClock) {
  constexpr std::int64_t kLong = 20'000'000;
  const auto begin = monotonic_raw_ns();
  const auto side =
      time_sequential({[] { return spin(kLong); }, nothing, [] { return spin(kLong); }}, {0, 1});
  const auto total = static_cast<double>(monotonic_raw_ns() - begin);
  ASSERT_TRUE(side.is_ok());
  EXPECT_LE(side->first_call_ns + side->trials_ns.at(0), total - 3.0 * static_cast<double>(kLong));
}

TEST(TimeSequential, ReadsTheDevicesClockAfterEachTrialAndNoOther) {
  int calls = 0;
  SideCalls side;
  side.call = [&calls] {
    ++calls;
    return Status::ok();
  };
  side.event_ns = [&calls]() -> base::Result<double> { return 1000.0 * calls; };
  const auto durations = time_sequential(side, {1, 2});
  ASSERT_TRUE(durations.is_ok());
  EXPECT_EQ(durations->event_ns, (std::vector<double>{3000, 4000}));
  side.event_ns = nullptr;
  EXPECT_TRUE(time_sequential(side, {1, 2})->event_ns.empty());
}

TEST(TimeSequential, EndsWhereTheDevicesClockCannotBeRead) {
  SideCalls side;
  side.call = nothing;
  side.event_ns = []() -> base::Result<double> { return Status(Code::kEnvironment, "no event"); };
  const auto durations = time_sequential(side, {1, 2});
  ASSERT_FALSE(durations.is_ok());
  EXPECT_EQ(durations.status().message(), "no event");
  EXPECT_EQ(durations.status().context().back(), "trial 1");
}

TEST(TimeSequential, StopsAtTheFirstFailure) {
  int calls = 0;
  const auto refuse_third = [&] {
    return ++calls == 3 ? Status(Code::kPlugin, "refused") : Status::ok();
  };
  const auto side = time_sequential({nullptr, refuse_third, nullptr}, {3, 5});
  ASSERT_FALSE(side.is_ok());
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(side.status().message(), "refused");
  EXPECT_EQ(side.status().context().back(), "warm-up 2");
}

TEST(TimeSequential, FailureToPrepareOrKeepEndsIt) {
  const auto fail = [] { return Status(Code::kEnvironment, "no memory"); };
  EXPECT_EQ(time_sequential({fail, nothing, nullptr}, {}).status().code(), Code::kEnvironment);
  EXPECT_EQ(time_sequential({nullptr, nothing, fail}, {}).status().code(), Code::kEnvironment);
}

TEST(TimeSequential, NegativeCountsAreRefused) {
  const auto side = time_sequential({nullptr, nothing, nullptr}, {-1, 5});
  EXPECT_EQ(side.status().code(), Code::kUsage);
}

}  // namespace sequential_test
}  // namespace graphnet::measure
