// SPDX-License-Identifier: MIT
#include "measure/cycle_clock.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>

#include "measure/clock.h"

namespace graphnet::measure {
namespace cycle_clock_test {

TEST(CycleClock, SaysWhetherReadingItRaisesASignal) {
  EXPECT_FALSE(cycle_count_raises_signal());
  ::prctl(PR_SET_TSC, PR_TSC_SIGSEGV);
  const bool raises = cycle_count_raises_signal();
  ::prctl(PR_SET_TSC, PR_TSC_ENABLE);
  EXPECT_TRUE(raises);
}

TEST(CycleClock, SystemCallAndVdsoReadTheSameClock) {
  const std::int64_t before = system_clock_ns();
  const std::int64_t between = monotonic_raw_ns_by_syscall();
  const std::int64_t after = system_clock_ns();
  EXPECT_LE(before, between);
  EXPECT_LE(between, after);
}

TEST(CycleClock, OnceCalibratedItGoesOnWithTheSystemsClock) {
  const std::int64_t uncalibrated = monotonic_raw_ns();
  if (!calibrate_clock()) GTEST_SKIP() << "this processor's cycle counter has no constant rate";
  const TickScale scale = tick_scale();
  EXPECT_TRUE(calibrate_clock());
  EXPECT_EQ(tick_scale().ns_per_tick_32, scale.ns_per_tick_32) << "the rate is fixed";
  const std::int64_t begin_ns = monotonic_raw_ns();
  EXPECT_GT(begin_ns, uncalibrated);
  const std::int64_t begin_system_ns = system_clock_ns();
  while (system_clock_ns() - begin_system_ns < 20'000'000) {
  }
  const auto system_ns = static_cast<double>(system_clock_ns() - begin_system_ns);
  const ClockAgreement agreement = {system_ns, system_ns,
                                    static_cast<double>(monotonic_raw_ns() - begin_ns)};
  // Another program may have had the core between two readings; for half a second it had not.
  EXPECT_NEAR(agreement.counter_ns, agreement.system_ns, 5e8);
  EXPECT_GE(agreement.counter_ns, 0.99 * agreement.system_ns);
}

TEST(TickScale, IsExactOverLongTimes) {
  TickScale scale;
  scale.base_ticks = 1000;
  scale.base_ns = 50;
  scale.ns_per_tick_32 = std::uint64_t{3} << 30U;  // 0.75
  EXPECT_EQ(scale.to_ns(1000), 50);
  EXPECT_EQ(scale.to_ns(1004), 53);
  EXPECT_EQ(scale.to_ns(1000 + (std::uint64_t{1} << 60U)), 50 + (std::int64_t{3} << 58U));
}

TEST(ClockAgreement, HoldsInBothDirectionsButForTheRatesAndReadings) {
  EXPECT_FALSE(is_tampered({1'000'000, 1'000'000, 1'000'000}));
  EXPECT_FALSE(is_tampered({1'000'000, 1'000'000, 1'100'000}));
  EXPECT_FALSE(is_tampered({100'000'000, 100'000'000, 101'000'000}));
  EXPECT_TRUE(is_tampered({50'000'000, 50'000'000, 100'000'000})) << "slow";
  EXPECT_TRUE(is_tampered({96'000'000, 96'000'000, 100'000'000})) << "a little slow";
  EXPECT_TRUE(is_tampered({104'000'000, 104'000'000, 100'000'000})) << "a little fast";
  EXPECT_TRUE(is_tampered({200'000'000, 200'000'000, 100'000'000})) << "fast";
  EXPECT_TRUE(is_tampered({100'000'000, 90'000'000, 100'000'000})) << "libc reads the counter too";
}

}  // namespace cycle_clock_test
}  // namespace graphnet::measure
