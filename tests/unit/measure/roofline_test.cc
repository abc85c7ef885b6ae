// SPDX-License-Identifier: MIT
#include "measure/roofline.h"

#include <gtest/gtest.h>

namespace graphnet::measure {
namespace {

TEST(Peaks, ArePlausibleForACore) {
  const Peaks peaks = measure_peaks();
  EXPECT_GT(peaks.flop_per_s, 1e9);
  EXPECT_LT(peaks.flop_per_s, 2e12);
  EXPECT_GT(peaks.bytes_per_s, 1e9);
  EXPECT_LT(peaks.bytes_per_s, 5e12);
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

}  // namespace
}  // namespace graphnet::measure
