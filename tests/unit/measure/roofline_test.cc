// SPDX-License-Identifier: MIT
#include "measure/roofline.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

namespace graphnet::measure {
namespace roofline_test {

TEST(Peaks, ArePlausibleForACore) {
  const Peaks peaks = measure_peaks();
  EXPECT_GT(peaks.flop_per_s, 1e9);
  EXPECT_LT(peaks.flop_per_s, 2e12);
  EXPECT_GT(peaks.bytes_per_s, 1e9);
  EXPECT_LT(peaks.bytes_per_s, 5e12);
}

// Sums that do not fit into registers go through the stack, and the peak is a tenth: 0.05
// operations a byte. It is 0.5 where a core has two units for arithmetic, and 0.25 where it has
// one.
TEST(Peaks, OfArithmeticIsNotThatOfTheStack) {
  constexpr double kLeast = 0.2;
  constexpr int kMostTries = 100;
  constexpr unsigned kWaitUs = 20'000;
  Peaks best = measure_peaks();
  // A core that others use, or that runs at half speed, is slow in one of the two for a while.
  for (int i = 1; i < kMostTries && best.flop_per_s <= kLeast * best.bytes_per_s; ++i) {
    ::usleep(kWaitUs);
    const Peaks now = measure_peaks();
    best.flop_per_s = std::max(best.flop_per_s, now.flop_per_s);
    best.bytes_per_s = std::max(best.bytes_per_s, now.bytes_per_s);
  }
  EXPECT_GT(best.flop_per_s, kLeast * best.bytes_per_s);
}

TEST(LeastTime, IsTheLongerOfArithmeticAndMemory) {
  const Peaks peaks = {100e9, 200e9};
  // 6 GFLOP at 4 x 100 GFLOP/s x 1.5 on one thread: 10 ms.
  EXPECT_DOUBLE_EQ(least_time_ns({6e9, 0}, peaks, 1), 10e6);
  EXPECT_DOUBLE_EQ(least_time_ns({6e9, 0}, peaks, 2), 5e6);
  EXPECT_DOUBLE_EQ(least_time_ns({6e9, 0, true}, peaks, 1), 10e6 / 16);
  EXPECT_DOUBLE_EQ(least_time_ns({6e9, 6e9}, peaks, 1), 20e6);
}

TEST(LeastTime, IsZeroWithoutPeaks) {
  EXPECT_EQ(least_time_ns({6e9, 6e9}, {}, 1), 0);
  EXPECT_EQ(least_time_ns({6e9, 6e9}, {1e9, 1e9}, 0), 0);
}

// What a core reads from memory cannot be more than what it reads from its first cache.
TEST(ReadRate, OfLargeMemoryIsBelowThatOfTheCache) {
  const Peaks peaks = measure_peaks();
  const std::vector<char> memory(std::size_t{64} << 20, 'x');
  const double rate = measure_read_rate({{memory.data(), memory.size()}}, 1);
  EXPECT_GT(rate, 1e8);
  EXPECT_LT(rate, peaks.bytes_per_s);
}

TEST(ReadRate, RangesAreReadAsOne) {
  const std::vector<char> memory(std::size_t{1} << 20, 'x');
  std::vector<MemoryRange> ranges;
  for (std::size_t at = 0; at < memory.size(); at += 8192) {
    ranges.push_back({memory.data() + at, 8192});
  }
  const double whole = measure_read_rate({{memory.data(), memory.size()}}, 2);
  EXPECT_GT(measure_read_rate(ranges, 2), 0.2 * whole);
}

TEST(ReadRate, OfShortRangesIsNotKnown) {
  const char memory[512] = {};
  EXPECT_EQ(measure_read_rate({}, 1), 0);
  EXPECT_EQ(measure_read_rate({{memory, sizeof memory}}, 1), 0);
  const std::vector<MemoryRange> tiny(1000, {memory, 100});
  EXPECT_EQ(measure_read_rate(tiny, 1), 0) << "no range is as long as a step";
}

TEST(Limit, IsTheLongerOfArithmeticAndMemory) {
  const Limit arithmetic = limit_of({6e9, 1e6}, 60e9, 10e9);
  EXPECT_DOUBLE_EQ(arithmetic.time_ns, 100e6);
  EXPECT_FALSE(arithmetic.is_memory);
  const Limit memory = limit_of({6e6, 1e9}, 60e9, 10e9);
  EXPECT_DOUBLE_EQ(memory.time_ns, 100e6);
  EXPECT_TRUE(memory.is_memory);
  EXPECT_EQ(limit_of({6e6, 1e9}, 0, 10e9).time_ns, 0);
}

}  // namespace roofline_test
}  // namespace graphnet::measure
