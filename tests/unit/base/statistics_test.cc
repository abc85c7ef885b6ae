// SPDX-License-Identifier: MIT
#include "base/statistics.h"

#include <gtest/gtest.h>

namespace graphnet::base {
namespace statistics_test {

TEST(Statistics, EmptyIsAllZeros) {
  const Statistics summary = summarise({});
  EXPECT_EQ(summary.median, 0);
  EXPECT_EQ(summary.max, 0);
}

TEST(Statistics, OneValueHasNoSpread) {
  const Statistics summary = summarise({7});
  EXPECT_EQ(summary.median, 7);
  EXPECT_EQ(summary.iqr, 0);
  EXPECT_EQ(summary.mean, 7);
  EXPECT_EQ(summary.std, 0);
  EXPECT_EQ(summary.min, 7);
  EXPECT_EQ(summary.max, 7);
}

TEST(Statistics, EvenCountTakesTheMeanOfTheMiddle) {
  // numpy: median 2.5, percentile(75) 3.25, percentile(25) 1.75, std 1.118033988749895
  const Statistics summary = summarise({4, 1, 3, 2});
  EXPECT_DOUBLE_EQ(summary.median, 2.5);
  EXPECT_DOUBLE_EQ(summary.iqr, 1.5);
  EXPECT_DOUBLE_EQ(summary.mean, 2.5);
  EXPECT_DOUBLE_EQ(summary.std, 1.118033988749895);
  EXPECT_EQ(summary.min, 1);
  EXPECT_EQ(summary.max, 4);
}

TEST(Statistics, AgreesWithARealUpstreamLog) {
  // The five trials of mmpose/rtmpose-t, printed with five decimals; upstream reports median
  // 11.5068, iqr 0.250816, mean 11.4388, std 0.15843, min 11.225, max 11.6436.
  const Statistics summary = summarise({11.64365, 11.53469, 11.28387, 11.50680, 11.22499});
  EXPECT_NEAR(summary.median, 11.5068, 1e-5);
  EXPECT_NEAR(summary.iqr, 0.250816, 1e-5);
  EXPECT_NEAR(summary.mean, 11.4388, 1e-4);
  EXPECT_NEAR(summary.std, 0.15843, 1e-5);
  EXPECT_NEAR(summary.min, 11.225, 1e-4);
  EXPECT_NEAR(summary.max, 11.6436, 1e-4);
}

}  // namespace statistics_test
}  // namespace graphnet::base
