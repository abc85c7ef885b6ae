// SPDX-License-Identifier: MIT
#include "measure/bootstrap.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "unit/measure/simulated_machine.h"

namespace graphnet::measure {
namespace bootstrap_test {

/// A first-order autoregression.
std::vector<double> series(int count, double correlation, std::uint64_t seed) {
  SimulatedMachine machine(seed);
  std::vector<double> values;
  double value = 0;
  for (int i = 0; i < count + 50; ++i) {
    value = correlation * value + machine.normal();
    if (i >= 50) values.push_back(value);
  }
  return values;
}

double coverage(int count, double correlation) {
  constexpr int kExperiments = 300;
  int covered = 0;
  for (int i = 0; i < kExperiments; ++i) {
    const auto seed = static_cast<std::uint64_t>(i) + 1;
    const MedianInterval interval = bootstrap_median(series(count, correlation, seed), 0.95, seed);
    covered += interval.low <= 0 && interval.high >= 0;
  }
  return static_cast<double>(covered) / kExperiments;
}

TEST(Median, OfAnyCount) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({3}), 3);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({5, 1, 4, 2, 3}), 3);
}

TEST(BlockLength, GrowsWithCorrelation) {
  EXPECT_EQ(block_length({1, 2, 3}), 1);
  EXPECT_EQ(block_length(std::vector<double>(100, 7.0)), 1);
  EXPECT_LE(block_length(series(400, 0, 1)), 3);
  const int some = block_length(series(400, 0.6, 1));
  const int much = block_length(series(400, 0.95, 1));
  EXPECT_GT(some, 4);
  EXPECT_GT(much, some);
  EXPECT_LE(much, 100);
  EXPECT_EQ(block_length(series(400, -0.8, 1)), 1);
}

TEST(BlockLength, IsNotFooledByAnOutlier) {
  std::vector<double> values = series(400, 0.6, 1);
  const int before = block_length(values);
  values[200] = 1e9;
  EXPECT_NEAR(block_length(values), before, 1);
}

TEST(Bootstrap, IsTheSameInEveryRun) {
  const std::vector<double> values = series(100, 0.3, 1);
  const MedianInterval first = bootstrap_median(values, 0.95, 7);
  const MedianInterval again = bootstrap_median(values, 0.95, 7);
  EXPECT_EQ(first.low, again.low);
  EXPECT_EQ(first.high, again.high);
  EXPECT_LT(first.low, median(values));
  EXPECT_GT(first.high, median(values));
}

TEST(Bootstrap, WiderForMoreConfidenceAndNothingForNothing) {
  const std::vector<double> values = series(100, 0, 1);
  const MedianInterval usual = bootstrap_median(values, 0.95, 1);
  const MedianInterval sure = bootstrap_median(values, 0.999, 1);
  EXPECT_LT(sure.low, usual.low);
  EXPECT_GT(sure.high, usual.high);
  EXPECT_EQ(bootstrap_median({}, 0.95, 1).high, 0);
  EXPECT_EQ(bootstrap_median({3}, 0.95, 1).high, 3);
}

// 95 % is meant; three standard errors of 300 experiments are 3.8 %.
TEST(Bootstrap, CoversIndependentSeries) {
  EXPECT_GE(coverage(12, 0), 0.912);
  EXPECT_GE(coverage(48, 0), 0.912);
}

// A series cannot tell its own correlation well: 90 % is what the method gives over 1,500 simulated
// series. Blocks of one give about 80 %.
TEST(Bootstrap, CoversCorrelatedSeries) {
  EXPECT_GE(coverage(100, 0.5), 0.873);
}

}  // namespace bootstrap_test
}  // namespace graphnet::measure
