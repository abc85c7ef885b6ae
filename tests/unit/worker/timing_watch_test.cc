// SPDX-License-Identifier: MIT
#include "worker/timing_watch.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <xmmintrin.h>

#include <cmath>

#include "worker/eager_watch.h"

namespace graphnet::worker {
namespace {

/// Twelve pairs whose halves last 1 ms and use as many cores as is said.
measure::PairedResult result_with(double eager_cores, double plugin_cores) {
  measure::PairedResult result;
  result.pairs.resize(12);
  for (measure::Pair& pair : result.pairs) {
    pair.span_ns = {1e6, 1e6};
    pair.ran_ns = {1e6 * eager_cores, 1e6 * plugin_cores};
  }
  return result;
}

TEST(CheckBudget, FlagsMoreProcessorTimeThanThreadsOffer) {
  EXPECT_TRUE(check_budget(result_with(1, 1), 1).empty());
  EXPECT_TRUE(check_budget(result_with(1, 1.04), 1).empty()) << "reading costs something";
  EXPECT_TRUE(check_budget(result_with(2, 1.9), 2).empty());
  const auto one = check_budget(result_with(1, 1.5), 1);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0].flag, record::Flag::kOverThreads);
  EXPECT_FALSE(one[0].is_fatal);
  EXPECT_EQ(one[0].message,
            "in the timed halves of the plugin the worker and what it started used 18.0 ms of "
            "processor time in 12.0 ms, with 1 thread allowed");
  const auto two = check_budget(result_with(2.2, 1), 2);
  ASSERT_EQ(two.size(), 1U);
  EXPECT_NE(two[0].message.find("of eager"), std::string::npos);
}

TEST(SettingsWatch, SaysNothingBeforeItWasToldAndNamesWhatChanged) {
  SettingsWatch watch;
  EXPECT_TRUE(watch.findings().empty());
  watch.note();
  EXPECT_TRUE(watch.findings().empty());
  _MM_SET_ROUNDING_MODE(_MM_ROUND_DOWN);
  const auto found = watch.findings();
  _MM_SET_ROUNDING_MODE(_MM_ROUND_NEAREST);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].flag, record::Flag::kSettingsChanged);
  EXPECT_TRUE(found[0].is_fatal);
  EXPECT_NE(found[0].message.find("rounding was to nearest, is down"), std::string::npos);
}

TEST(OwnMark, IsThatOfThePlace) {
  ::unsetenv("GRAPHNET_PLACE");
  EXPECT_EQ(own_mark(), "");
  ::setenv("GRAPHNET_PLACE", "3", 1);
  EXPECT_EQ(own_mark(), "GRAPHNET_PLACE=3");
  ::unsetenv("GRAPHNET_PLACE");
}

TEST(EagerWatch, SuspectsWhatIsBeyondDriftAndInterval) {
  measure::PairedSummary summary;
  summary.kept = 12;
  summary.low = 1.99;
  summary.high = 2.01;
  EXPECT_FALSE(is_suspicious(1e6, 1.09e6, summary));
  EXPECT_TRUE(is_suspicious(1e6, 1.2e6, summary));
  EXPECT_FALSE(is_suspicious(1e6, 0.5e6, summary)) << "faster harms the plugin only";
  summary.low = 1;
  summary.high = 4;
  EXPECT_FALSE(is_suspicious(1e6, 1.2e6, summary)) << "the pairs cannot tell either";
  summary.drops_exceeded = true;
  EXPECT_TRUE(is_suspicious(1e6, 1.2e6, summary));
  EXPECT_FALSE(is_suspicious(0, 1.2e6, summary)) << "no warm-up";
}

TEST(EagerWatch, ConfirmsWithTheWholeIntervalOnly) {
  const auto ratios = [](std::initializer_list<double> values) {
    std::vector<double> logs;
    for (const double value : values) logs.push_back(std::log(value));
    return logs;
  };
  EXPECT_TRUE(is_slower_here(ratios({1.3, 1.31, 1.29, 1.3, 1.32, 1.3, 1.28, 1.3})));
  EXPECT_FALSE(is_slower_here(ratios({1.3, 0.9, 1.8, 1.0, 1.3, 0.8, 1.9, 1.1})));
  EXPECT_FALSE(is_slower_here(ratios({1, 1.01, 0.99, 1, 1, 1.02})));
  EXPECT_FALSE(is_slower_here(ratios({2, 2, 2}))) << "too few to tell";
}

}  // namespace
}  // namespace graphnet::worker
