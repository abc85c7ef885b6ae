// SPDX-License-Identifier: MIT
#include "report/range_times.h"

#include <gtest/gtest.h>

namespace graphnet::report {
namespace range_times_test {

std::vector<double> around(double ns, double spread) {
  std::vector<double> times;
  for (int i = -10; i <= 10; ++i) times.push_back(ns + spread * i / 10);
  return times;
}

/// Gains 400 in the first range, loses 300 in the second, nothing in the third.
std::vector<MeasuredBeginning> beginnings() {
  return {{20, "conv2d 3", false, around(1000, 5), around(600, 5)},
          {40, "softmax", false, around(1500, 5), around(1400, 5)},
          {60, "add", false, around(1600, 50), around(1500, 50)}};
}

TEST(RangeTimes, AddUpToTheWholeProgram) {
  const std::vector<RangeTime> ranges = range_times(beginnings(), 0);
  ASSERT_EQ(ranges.size(), 3u);
  EXPECT_DOUBLE_EQ(ranges[0].gain.ns, 400);
  EXPECT_DOUBLE_EQ(ranges[1].gain.ns, -300);
  EXPECT_DOUBLE_EQ(ranges[2].gain.ns, 0);
  EXPECT_DOUBLE_EQ(ranges[0].base.ns + ranges[1].base.ns + ranges[2].base.ns, 1600);
  EXPECT_DOUBLE_EQ(ranges[0].backend.ns + ranges[1].backend.ns + ranges[2].backend.ns, 1500);
  EXPECT_EQ(ranges[0].first_line, 1);
  EXPECT_EQ(ranges[2].first_line, 41);
  EXPECT_EQ(ranges[2].last_line, 60);
}

TEST(RangeTimes, IntervalsHoldTheValueAndSayWhatIsClear) {
  for (const RangeTime& range : range_times(beginnings(), 0)) {
    EXPECT_LE(range.gain.low, range.gain.ns);
    EXPECT_GE(range.gain.high, range.gain.ns);
  }
  const std::vector<RangeTime> ranges = range_times(beginnings(), 0);
  EXPECT_TRUE(ranges[0].gain.is_clear());
  EXPECT_TRUE(ranges[1].gain.is_clear());
  EXPECT_FALSE(ranges[2].gain.is_clear());
  EXPECT_TRUE(range_times({}, 0).empty());
}

TEST(RangeTimes, TheNoiseFloorIsAShareOfTheBeginning) {
  const std::vector<RangeTime> exact = range_times(beginnings(), 0);
  const std::vector<RangeTime> noisy = range_times(beginnings(), 0.25);
  EXPECT_NEAR(exact[1].gain.low - noisy[1].gain.low, 0.25 * 1500, 1e-6);
  EXPECT_TRUE(noisy[0].gain.is_clear());
  EXPECT_FALSE(noisy[1].gain.is_clear());
}

TEST(RangeTimes, DriftCancelsInPairs) {
  MeasuredBeginning drifting = {10, "add", false, {}, {}};
  for (int i = 0; i < 20; ++i) {
    drifting.base_ns.push_back(1000 + 100 * i);
    drifting.backend_ns.push_back(990 + 100 * i);
  }
  EXPECT_FALSE(range_times({drifting}, 0)[0].gain.is_clear());
  drifting.is_paired = true;
  EXPECT_TRUE(range_times({drifting}, 0)[0].gain.is_clear());
  EXPECT_DOUBLE_EQ(range_times({drifting}, 0)[0].gain.ns, 10);
}

TEST(RangeTimes, BarsAreOfClearDifferences) {
  const RangeReport report = {
      "timm/x", "acme\x1b[2J", "eager", "smoke", range_times(beginnings(), 0), {"a note"}};
  const std::string text = range_text(report, 100);
  EXPECT_NE(text.find("++++++++"), std::string::npos) << text;
  EXPECT_NE(text.find("------"), std::string::npos) << text;
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  EXPECT_NE(text.find("1.50 us, eager 1.60 us\n"), std::string::npos) << text;
  EXPECT_NE(text.find("1-20   conv2d 3"), std::string::npos) << text;
  EXPECT_NE(text.find("]\na note\n"), std::string::npos) << "the last range has no bar\n" << text;
  EXPECT_EQ(range_text({"s", "b", "eager", "smoke", {}, {}}, 80).find('+'), std::string::npos);
}

TEST(RangeTimes, JsonHoldsValuesWithIntervals) {
  const base::Json json =
      range_json({"s", "acme", "eager", "smoke", range_times(beginnings(), 0), {}});
  EXPECT_EQ(json["schema"], "graphnet.explain/1");
  ASSERT_EQ(json["ranges"].size(), 3u);
  EXPECT_EQ(json["ranges"][1]["gain_ns"].size(), 3u);
  EXPECT_EQ(json["ranges"][1]["gain_ns"][0], -300);
}

}  // namespace range_times_test
}  // namespace graphnet::report
