// SPDX-License-Identifier: MIT
#include "measure/cycle_clock.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "measure/clock.h"

namespace graphnet::measure {
namespace {

TEST(CycleClock, ReadsTheSameClockAsTheVdso) {
  const std::int64_t before = monotonic_raw_ns();
  const std::int64_t between = monotonic_raw_ns_by_syscall();
  const std::int64_t after = monotonic_raw_ns();
  EXPECT_LE(before, between);
  EXPECT_LE(between, after);
}

TEST(CycleClock, KnowsItsRateOrSaysThatItDoesNot) {
  const CycleRate rate;
  std::this_thread::sleep_for(std::chrono::milliseconds(2));
  const auto ns_per_tick = rate.ns_per_tick();
  if (!ns_per_tick) GTEST_SKIP() << "this processor's cycle counter has no constant rate";
  EXPECT_GT(*ns_per_tick, 0.05);
  EXPECT_LT(*ns_per_tick, 10);
}

TEST(ClockAgreement, ToleratesPreemptionButNoShorterClock) {
  EXPECT_FALSE(is_tampered({1'000'000, 1'000'000}));
  EXPECT_FALSE(is_tampered({1'000'000, 1'090'000}));
  EXPECT_FALSE(is_tampered({100'000'000, 104'000'000}));
  EXPECT_TRUE(is_tampered({50'000'000, 100'000'000}));
  // Slower by the clock only harms the plugin itself; readings are apart by what lies between.
  EXPECT_FALSE(is_tampered({2'000'000, 1'000'000}));
}

}  // namespace
}  // namespace graphnet::measure
