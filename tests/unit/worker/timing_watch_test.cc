// SPDX-License-Identifier: MIT
#include "worker/timing_watch.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <xmmintrin.h>

#include <cmath>
#include <initializer_list>
#include <optional>
#include <vector>

#include "support/mentions.h"
#include "worker/eager_watch.h"
#include "worker/untimed_work.h"

namespace graphnet::worker {
namespace timing_watch_test {

using tests::mentions;

/// Twelve pairs whose side samples last 1 ms and use as many cores as is said.
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
  EXPECT_TRUE(mentions(one[0].message, {"18.0 ms", "12.0 ms", "1 thread"}));
  const auto two = check_budget(result_with(2.2, 1), 2);
  ASSERT_EQ(two.size(), 1U);
  EXPECT_NE(two[0].message.find("of eager"), std::string::npos);
}

// In every third pair the plugin sleeps, so that there is time for what it did in the others.
TEST(CheckBudget, IsNotDilutedBySleep) {
  measure::PairedResult result = result_with(1, 1.5);
  for (std::size_t i = 0; i < result.pairs.size(); i += 3) {
    result.pairs[i].span_ns[measure::kBackend] = 20e6;
  }
  EXPECT_EQ(check_budget(result, 1).size(), 1U);
  EXPECT_TRUE(check_budget(result, 2).empty());
}

// A thread elsewhere could compute from the inputs as they are written.
TEST(CheckBudget, CountsTheHostsStepsToo) {
  measure::PairedResult result = result_with(1, 1);
  for (measure::Pair& pair : result.pairs) {
    pair.steps_span_ns = {4e7, 4e7};
    pair.steps_ran_ns = {4e7, 4e7};
  }
  EXPECT_TRUE(check_budget(result, 1).empty());
  for (measure::Pair& pair : result.pairs) pair.steps_ran_ns[measure::kBackend] = 6e7;
  EXPECT_EQ(check_budget(result, 1).size(), 1U);
  EXPECT_TRUE(check_budget(result, 2).empty());
}

TEST(CheckContents, FlagsInputsThatMustRepeat) {
  measure::PairedResult result = result_with(1, 1);
  result.calls_per_side_sample = {8, 8};
  EXPECT_TRUE(check_contents(result, 10).empty()) << "1,024 for 96 calls";
  const auto few = check_contents(result, 9);
  ASSERT_EQ(few.size(), 1U);
  EXPECT_EQ(few[0].flag, record::Flag::kUnvaried);
  EXPECT_FALSE(few[0].is_fatal);
  EXPECT_EQ(check_contents(result, 0).size(), 1U) << "constant inputs";
}

TEST(UntimedWork, IsWhatAStepTakesBeyondSlackAndCall) {
  EXPECT_FALSE(is_untimed_work(100, 2000, 500, 0.5)) << "too little for a trap";
  EXPECT_TRUE(is_untimed_work(100, 2200, 500, 0.5));
  EXPECT_FALSE(is_untimed_work(100, 2200, 50e3, 0.5)) << "a small part of the call";
  EXPECT_FALSE(is_untimed_work(40e3, 55e3, 500, 0.5)) << "colder caches";
  EXPECT_TRUE(is_untimed_work(40e3, 65e3, 500, 0.5));
  EXPECT_FALSE(is_untimed_work(40e3, 65e3, 500, 1));
  EXPECT_FALSE(is_untimed_work(40e3, 1e3, 500, 0.5));
}

TEST(UntimedWork, NamesTheStepsAndBothTimes) {
  measure::PairedResult result = result_with(1, 1);
  result.summary.median_ns = {20e3, 1e3};
  for (measure::Pair& pair : result.pairs) pair.around_ns = {90e3, 21e3};
  base::Json report;
  EXPECT_TRUE(check_untimed_work({20e3, 1e3}, result, {{{}, {2e3, 2e3}}}, report).findings.empty());
  EXPECT_EQ(report["around_ns"]["plugin"], 21e3);
  EXPECT_EQ(report["around_ns"]["eager"], 90e3);
  for (measure::Pair& pair : result.pairs) pair.around_ns[measure::kBackend] = 40e3;
  const auto around = check_untimed_work({20e3, 1e3}, result, {}, report).findings;
  ASSERT_EQ(around.size(), 1U);
  EXPECT_EQ(around[0].flag, record::Flag::kUntimedWork);
  const auto copies =
      check_untimed_work({40e3, 1e3}, result, {{{}, {30e3, 30e3, 1e3}}}, report).findings;
  ASSERT_EQ(copies.size(), 1U);
  EXPECT_NE(copies[0].message.find("30.0 us"), std::string::npos) << copies[0].message;
  EXPECT_TRUE(check_untimed_work({}, result, {{{}, {30e3}}}, report).findings.empty())
      << "nothing is known";
}

TEST(UntimedWork, KnowsThatEagersOutputsAreCopiedMoreSlowlyToo) {
  measure::PairedResult result = result_with(1, 1);
  result.summary.median_ns = {20e3, 1e3};
  base::Json report;
  const auto is_found = [&](double plugin_ns, const std::vector<double>& eager_ns) {
    const HostSteps before = {0, 100e3};
    return !check_untimed_work(before, result, {{eager_ns, {plugin_ns}}}, report).findings.empty();
  };
  EXPECT_FALSE(is_found(199e3, {}));
  EXPECT_TRUE(is_found(201e3, {150e3, 150e3})) << "too few to say";
  EXPECT_FALSE(is_found(249e3, {90e3, 150e3, 150e3}));
  EXPECT_TRUE(is_found(251e3, {90e3, 150e3, 150e3}));
  EXPECT_EQ(report["copy_ns"]["eager"], 150e3);
  EXPECT_FALSE(is_found(269e3, {900e3, 900e3, 900e3}));
  EXPECT_TRUE(is_found(271e3, {900e3, 900e3, 900e3})) << "the plugin may have slowed both";
  EXPECT_TRUE(is_found(201e3, {50e3, 50e3, 50e3}));
}

// The kernel's call that copies, alone and behind other work.
TEST(UntimedWork, AllowsCopiesWhatTheirSystemCallTakes) {
  measure::PairedResult result = result_with(1, 1);
  result.summary.median_ns = {20e3, 10e3};
  base::Json report;
  const auto is_found = [&](double plugin_ns) {
    const std::vector<double> eager_ns = {6.5e3, 6.5e3, 6.5e3};
    return !check_untimed_work({0, 2.6e3}, result, {{eager_ns, {plugin_ns}}}, report)
                .findings.empty();
  };
  EXPECT_FALSE(is_found(9e3));
  EXPECT_TRUE(is_found(9.2e3));
}

TEST(UntimedWork, LeavesLongStepsLessSlack) {
  measure::PairedResult result = result_with(1, 1);
  result.summary.median_ns = {20e3, 1e3};
  base::Json report;
  const auto is_found = [&](double before_ns, double plugin_ns) {
    for (measure::Pair& pair : result.pairs) pair.around_ns[measure::kBackend] = plugin_ns;
    return !check_untimed_work({before_ns}, result, {}, report).findings.empty();
  };
  EXPECT_FALSE(is_found(8e3, 11.9e3));
  EXPECT_TRUE(is_found(8e3, 12.1e3));
  EXPECT_FALSE(is_found(110e3, 134e3));
  EXPECT_TRUE(is_found(110e3, 136e3));
}

TEST(UntimedWork, CountsTheReadingOfTheCountersOnceASideSample) {
  measure::PairedResult result = result_with(1, 1);
  result.summary.median_ns = {20e3, 1e3};
  for (measure::Pair& pair : result.pairs) pair.around_ns = {0, 9e3};
  base::Json report;
  EXPECT_TRUE(check_untimed_work({1e3, 0, 6e3}, result, {}, report).findings.empty());
  EXPECT_EQ(report["around_ns"]["before"], 7e3);
  result.calls_per_side_sample = {6, 6};
  EXPECT_EQ(check_untimed_work({1e3, 0, 6e3}, result, {}, report).findings.size(), 1U);
}

TEST(UntimedWork, AllowsASlowReadingToBeSlowerStillBetweenCalls) {
  measure::PairedResult result = result_with(1, 1);
  result.summary.median_ns = {4e3, 4e3};
  result.calls_per_side_sample = {2, 2};
  base::Json report;
  const auto is_found = [&](double reading_ns, double plugin_ns) {
    for (measure::Pair& pair : result.pairs) pair.around_ns[measure::kBackend] = plugin_ns;
    return !check_untimed_work({500, 0, reading_ns}, result, {}, report).findings.empty();
  };
  EXPECT_FALSE(is_found(8e3, 8e3)) << "half of 4.5 us and of a reading of 8 us, 4 us of it";
  EXPECT_TRUE(is_found(8e3, 9e3));
  EXPECT_TRUE(is_found(4e3, 5e3)) << "a fast one is not";
}

// Times of GAE with two threads, whose whole pass ran on slow cores.
TEST(UntimedWork, AsksAProcessWithoutThePluginWhetherTheMachineIsSlow) {
  measure::PairedResult result = result_with(1, 1);
  result.summary.median_ns = {500e3, 500e3};
  for (measure::Pair& pair : result.pairs) pair.around_ns = {185e3, 183e3};
  base::Json report;
  int num_asked = 0;
  const auto is_found = [&](std::optional<double> there_ns) {
    const auto ask = [&] { return ++num_asked, there_ns; };
    return !check_untimed_work({75e3}, result, {}, report, {ask, {}}).findings.empty();
  };
  EXPECT_FALSE(is_found(160e3));
  EXPECT_EQ(report["around_ns"]["without_plugin"], 160e3);
  EXPECT_TRUE(is_found(76e3));
  EXPECT_TRUE(is_found(std::nullopt)) << "it has ended";
  EXPECT_EQ(num_asked, 3);
  for (measure::Pair& pair : result.pairs) pair.around_ns = {75e3, 183e3};
  EXPECT_TRUE(is_found(170e3)) << "the machine is not slow for eager";
  for (measure::Pair& pair : result.pairs) pair.around_ns = {76e3, 76e3};
  EXPECT_FALSE(is_found(20e3));
  EXPECT_EQ(num_asked, 4) << "only where it decides";
}

// Times of bloom-tiny-random under nope on a virtual machine: slow in the pairs, fast behind them.
TEST(UntimedWork, IsNotFoundWhereAFewMorePairsHaveShortSteps) {
  measure::PairedResult result = result_with(1, 1);
  result.summary.median_ns = {2.1e6, 2.1e6};
  for (measure::Pair& pair : result.pairs) pair.around_ns = {664e3, 684e3};
  base::Json report;
  int num_looks = 0;
  bool is_in_pairs_only = false;
  const auto is_found = [&](std::vector<std::optional<double>> more_ns) {
    num_looks = 0;
    const auto without_plugin = [] { return std::optional<double>(409e3); };
    const auto in_more_pairs = [&] { return more_ns.at(static_cast<std::size_t>(num_looks++)); };
    const SecondLook seen =
        check_untimed_work({439e3}, result, {}, report, {without_plugin, in_more_pairs});
    is_in_pairs_only = seen.is_in_pairs_only;
    return !seen.findings.empty();
  };
  EXPECT_FALSE(is_found({445e3}));
  EXPECT_TRUE(is_in_pairs_only) << "a plugin may know these pairs";
  EXPECT_EQ(report["around_ns"]["in_more_pairs"], 445e3);
  EXPECT_FALSE(is_found({690e3, 680e3, 450e3}));
  EXPECT_TRUE(is_found({690e3, 680e3, 700e3}));
  EXPECT_FALSE(is_in_pairs_only);
  EXPECT_EQ(num_looks, 3);
  EXPECT_TRUE(is_found({std::nullopt})) << "the plugin ended the pairs";
}

// Times of XLA on an H100.
TEST(UntimedWork, AllowsADevicesStepsToBecomeLongerOnBothSides) {
  measure::PairedResult result = result_with(1, 1);
  result.summary.median_ns = {430e3, 216e3};
  base::Json report;
  const auto is_found = [&](double eager_ns, double plugin_ns) {
    for (measure::Pair& pair : result.pairs) pair.around_ns = {eager_ns, plugin_ns};
    return !check_untimed_work({21e3, 0, 0, true}, result, {}, report).findings.empty();
  };
  EXPECT_FALSE(is_found(69e3, 67e3));
  EXPECT_TRUE(is_found(21e3, 67e3)) << "the plugin's alone";
  EXPECT_TRUE(is_found(200e3, 200e3)) << "more than the machine takes";
}

TEST(UntimedWork, AllowsTwoMicrosecondsByWhichEagersStepsBecameLongerToo) {
  measure::PairedResult result = result_with(1, 1);
  result.summary.median_ns = {13e3, 13e3};
  result.calls_per_side_sample = {2, 2};
  base::Json report;
  const auto is_found = [&](double eager_ns, double plugin_ns) {
    for (measure::Pair& pair : result.pairs) pair.around_ns = {eager_ns, plugin_ns};
    return !check_untimed_work({690, 0, 3.8e3}, result, {}, report).findings.empty();
  };
  EXPECT_FALSE(is_found(4.24e3, 4.98e3)) << "nope on a busy machine";
  EXPECT_TRUE(is_found(2.59e3, 4.98e3));
  EXPECT_TRUE(is_found(0, 4.98e3));
  EXPECT_TRUE(is_found(20e3, 6.7e3)) << "a trap that both sides have";
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
  EXPECT_TRUE(mentions(found[0].message, {"rounding", "nearest", "down"}));
}

TEST(OwnMark, IsThatOfTheSlot) {
  ::unsetenv("GRAPHNET_SLOT");
  EXPECT_EQ(own_mark(), "");
  ::setenv("GRAPHNET_SLOT", "3", 1);
  EXPECT_EQ(own_mark(), "GRAPHNET_SLOT=3");
  ::unsetenv("GRAPHNET_SLOT");
}

// What is compared must be free of waits on both sides, or a busy machine hides what slows eager.
TEST(EagerWatch, ComparesTimesWithoutWaits) {
  measure::Warmup warmup;
  warmup.warmup_ns = {1e6, 1e6, 1e6};
  std::vector<measure::Pair> pairs(5);
  for (measure::Pair& pair : pairs) {
    pair.call_ns = {6e6, 1e6};
    pair.unwaited_ns = {1.4e6, 1e6};  // eager waited for the rest
  }
  EXPECT_EQ(eager_times(warmup, pairs).before_ns, 1e6);
  EXPECT_EQ(eager_times(warmup, pairs).in_pairs_ns, 1.4e6);
  for (measure::Pair& pair : pairs) pair.marks[measure::kEager] = measure::kPreempted;
  EXPECT_EQ(eager_times(warmup, pairs).in_pairs_ns, 1.4e6) << "of disturbed ones the same is known";
  EXPECT_EQ(eager_times(warmup, {}).in_pairs_ns, 0);
  pairs.insert(pairs.end(), pairs.begin(), pairs.end());
  for (std::size_t i = 0; i < 5; ++i) pairs[i].marks = {};
  for (std::size_t i = 0; i < 5; ++i) pairs[i].unwaited_ns = {3e6, 1e6};
  EXPECT_EQ(eager_times(warmup, pairs).in_pairs_ns, 3e6) << "those that the ratio is made of";
}

TEST(EagerWatch, SuspectsWhatIsBeyondDriftAndInterval) {
  measure::PairedSummary summary;
  summary.kept = 12;
  summary.low = 1.99;
  summary.high = 2.01;
  EXPECT_FALSE(is_suspicious({1e6, 1.09e6}, summary));
  EXPECT_TRUE(is_suspicious({1e6, 1.2e6}, summary));
  EXPECT_FALSE(is_suspicious({1e6, 0.5e6}, summary)) << "faster harms the plugin only";
  summary.low = 1;
  summary.high = 4;
  EXPECT_FALSE(is_suspicious({1e6, 1.2e6}, summary)) << "the pairs cannot tell either";
  EXPECT_TRUE(is_suspicious({1e6, 1.5e6}, summary)) << "a plugin may have made it wide";
  summary.drops_exceeded = true;
  EXPECT_TRUE(is_suspicious({1e6, 1.2e6}, summary));
  EXPECT_FALSE(is_suspicious({0, 1.2e6}, summary)) << "no warm-up";
}

std::vector<double> logs_of(std::initializer_list<double> ratios) {
  std::vector<double> logs;
  for (const double ratio : ratios) logs.push_back(std::log(ratio));
  return logs;
}

TEST(EagerWatch, ConfirmsWithTheWholeIntervalOnly) {
  EXPECT_TRUE(is_slower(logs_of({1.3, 1.31, 1.29, 1.3, 1.32, 1.3, 1.28, 1.3}), 1.3));
  EXPECT_FALSE(is_slower(logs_of({1.3, 0.9, 1.8, 1.0, 1.3, 0.8, 1.9, 1.1}), 1.3));
  EXPECT_FALSE(is_slower(logs_of({1, 1.01, 0.99, 1, 1, 1.02}), 1.3));
  EXPECT_FALSE(is_slower(logs_of({2, 2, 2}), 2)) << "too few to tell";
}

// Processes differ without anybody's doing, in layout and in threads.
TEST(EagerWatch, ConfirmsNothingThatWouldNotBeSuspicious) {
  EXPECT_FALSE(is_slower(logs_of({1.07, 1.069, 1.071, 1.07, 1.068, 1.07, 1.07}), 1.12));
  EXPECT_TRUE(is_slower(logs_of({1.12, 1.119, 1.121, 1.12, 1.118, 1.12, 1.12}), 1.12));
}

// A machine that became slower for both explains what the copy does not.
TEST(EagerWatch, LeavesTheDriftOfTheMachineOut) {
  const std::vector<double> ratios = logs_of({1.15, 1.151, 1.149, 1.15, 1.152, 1.148, 1.15});
  EXPECT_TRUE(is_slower(ratios, 1.15));
  EXPECT_TRUE(is_slower(ratios, 1.3)) << "half of it";
  EXPECT_FALSE(is_slower(ratios, 1.6));
}

TEST(EagerWatch, FindsPairsThatNoDriftExplains) {
  EXPECT_FALSE(was_slower_in_pairs(1.39e6, 1e6));
  EXPECT_TRUE(was_slower_in_pairs(1.41e6, 1e6));
}

TEST(EagerWatch, FindsASpeedupThatIsInThePairsOnly) {
  measure::PairedSummary summary;
  summary.kept = 73;
  summary.ratio = 1.1;
  summary.low = 1.09;
  summary.high = 1.11;
  summary.median_ns = {5.2e6, 4.7e6};
  EXPECT_TRUE(is_faster_in_pairs_only(summary, 4.66e6));
  EXPECT_FALSE(is_faster_in_pairs_only(summary, 4.8e6)) << "faster than eager alone, too";
  summary.low = 0.99;
  EXPECT_FALSE(is_faster_in_pairs_only(summary, 4.66e6)) << "nobody says that it is faster";
}

TEST(EagerWatch, EndsAsSoonAsNothingCanBeConfirmed) {
  EXPECT_FALSE(is_settled({}, 5));
  EXPECT_FALSE(is_settled(logs_of({1, 1}), 5));
  EXPECT_FALSE(is_settled(logs_of({1, 1.5, 1.5, 1}), 5));
  EXPECT_TRUE(is_settled(logs_of({1, 1.5, 1.5, 1, 1}), 5));
  EXPECT_TRUE(is_settled(logs_of({1, 1, 1}), 5));
  EXPECT_FALSE(is_settled(logs_of({1, 1, 1}), 6)) << "the median may still be between";
}

}  // namespace timing_watch_test
}  // namespace graphnet::worker
