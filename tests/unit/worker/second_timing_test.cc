// SPDX-License-Identifier: MIT
#include "worker/second_timing.h"

#include <gtest/gtest.h>

#include "support/mentions.h"

namespace graphnet::worker {
namespace second_timing_test {

using record::Flag;
using tests::mentions;

/// Eager takes 10 ms on both weights.
record::Record record_with(double speedup, double second_speedup) {
  record::Record record;
  record.speedup = speedup;
  record.timing.speedup_low = speedup * 0.95;
  record.timing.speedup_high = speedup * 1.05;
  record.plugin_side.median_ns = 10e6 / speedup;
  record::SecondWeights& second = record.checks.second_weights;
  second.speedup = second_speedup;
  second.speedup_low = second_speedup * 0.9;
  second.speedup_high = second_speedup * 1.1;
  second.eager_ns = 10e6;
  second.plugin_ns = 10e6 / second_speedup;
  return record;
}

TEST(TunedToWeights, FlagsASpeedupThatOtherWeightsDoNotHave) {
  const auto found = check_tuned_to_weights(record_with(4, 0.5));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].flag, Flag::kTunedToWeights);
  EXPECT_FALSE(found[0].is_fatal);
  EXPECT_TRUE(mentions(found[0].message, {"4.00x", "0.50x", "20.0 ms", "2.50 ms"}));
}

TEST(TunedToWeights, LeavesOthersAlone) {
  EXPECT_TRUE(check_tuned_to_weights(record_with(2, 2)).empty());
  EXPECT_TRUE(check_tuned_to_weights(record_with(2, 4)).empty()) << "faster on second weights";
  EXPECT_TRUE(check_tuned_to_weights(record_with(2, 1.4)).empty()) << "a difference of few pairs";
  EXPECT_FALSE(check_tuned_to_weights(record_with(2, 1.2)).empty());
}

TEST(TunedToWeights, AsksForIntervalsWithNothingInCommon) {
  record::Record record = record_with(4, 2);
  EXPECT_FALSE(check_tuned_to_weights(record).empty());
  record.checks.second_weights.speedup_high = 3.9;
  EXPECT_TRUE(check_tuned_to_weights(record).empty());
  record.checks.second_weights.speedup_high = 2.6;
  record.timing.speedup_low = 2;
  EXPECT_FALSE(check_tuned_to_weights(record).empty()) << "a plugin may mix two speeds";
  record.checks.second_weights.speedup_high.reset();
  EXPECT_FALSE(check_tuned_to_weights(record).empty());
  record.timing.speedup_low.reset();  // so it is claimed nowhere
  EXPECT_TRUE(check_tuned_to_weights(record).empty());
}

TEST(TunedToWeights, SparesThePluginWhereEagerIsTheSlowOne) {
  record::Record record = record_with(4, 1);
  record.flags.emplace_back(Flag::kDenormal);
  EXPECT_TRUE(check_tuned_to_weights(record).empty());
  record.flags.clear();
  EXPECT_FALSE(check_tuned_to_weights(record).empty());
  // Eager is four times faster on second weights, and the plugin takes what it took.
  record.checks.second_weights.plugin_ns = *record.plugin_side.median_ns * 1.1;
  EXPECT_TRUE(check_tuned_to_weights(record).empty());
}

// The machine was as slow in a process that no plugin can slow.
TEST(TunedToWeights, CreditsWhatTheCopyOfEagerTook) {
  record::Record record = record_with(1, 1.2);
  record.eager.median_ns = 10e6;
  record::SecondWeights& second = record.checks.second_weights;
  second.eager_ns = 40e6;
  second.plugin_ns = 33e6;
  EXPECT_FALSE(check_tuned_to_weights(record).empty());
  record.checks.eager_watch = {{"before_ns", 10e6}, {"there_ns", 28e6}};
  EXPECT_TRUE(check_tuned_to_weights(record).empty());
}

TEST(TunedToWeights, CreditsNoSpeedupThatComesOfASlowerEager) {
  record::Record record = record_with(4, 0.5);
  record.eager.median_ns = 10e6;
  record::SecondWeights& second = record.checks.second_weights;
  // Ten times as long, beside a plugin that takes what it took.
  second.speedup = 5;
  second.speedup_high = 5.5;
  second.eager_ns = 100e6;
  const auto found = check_tuned_to_weights(record);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].flag, Flag::kTunedToWeights);
  // An honest one on a machine that has become slower meanwhile.
  record = record_with(4, 4);
  record.eager.median_ns = 10e6;
  record.checks.second_weights.eager_ns = 15e6;
  record.checks.second_weights.plugin_ns = 3.75e6;
  EXPECT_TRUE(check_tuned_to_weights(record).empty());
}

TEST(TunedToWeights, CreditsASpeedupOfATimeWhenTheMachineWasAsSlowBeforeThePlugin) {
  record::Record record = record_with(2, 2);
  record.eager.median_ns = 10e6;
  record.checks.second_weights.eager_ns = 25e6;
  record.checks.second_weights.plugin_ns = 12.5e6;
  EXPECT_EQ(check_tuned_to_weights(record).size(), 1U);
  record.checks.eager_watch = {{"before_ns", 20e6}};
  EXPECT_TRUE(check_tuned_to_weights(record).empty());
  record.checks.eager_watch = {{"before_ns", 10e6}};
  EXPECT_EQ(check_tuned_to_weights(record).size(), 1U);
}

TEST(TunedToWeights, SaysNothingWithoutBothTimes) {
  record::Record record = record_with(4, 1);
  record.speedup.reset();
  EXPECT_TRUE(check_tuned_to_weights(record).empty());
  record = record_with(4, 1);
  record.checks.second_weights = {};
  EXPECT_TRUE(check_tuned_to_weights(record).empty());
}

constexpr double kMs = 1e6;

/// Calls of 1 ms and 3 ms, each beside so much waiting as is said: in some of the plugin's calls it
/// cannot be told from what lies around them.
std::vector<measure::Pair> pairs_with(double wait_ns) {
  std::vector<measure::Pair> pairs(8);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    measure::Pair& pair = pairs[i];
    pair.unwaited_ns = {1 * kMs, 3 * kMs};
    pair.call_ns = {1 * kMs, 3 * kMs + wait_ns};
    if (i % 2 == 0) {
      pair.waited_ns[measure::kBackend] = wait_ns;
    } else if (wait_ns > 0) {
      pair.marks = {0, measure::kPreempted};
    }
  }
  return pairs;
}

TEST(SecondPairs, TakeWaitsOutThatTheTimedPairsWouldDrop) {
  measure::PairedSettings settings;
  settings.fewest_pairs = 5;
  settings.max_waited = 1;
  record::SecondWeights found;
  write_second_pairs(pairs_with(70 * kMs), settings, found);
  EXPECT_NEAR(*found.speedup, 1.0 / 3, 1e-9);
  EXPECT_NEAR(*found.speedup_high, 1.0 / 3, 1e-9);
  EXPECT_NEAR(*found.plugin_ns, 3 * kMs, 1);
  EXPECT_FALSE(*found.unclear);
}

TEST(SecondPairs, AreUnclearWhereMuchWasTakenOut) {
  const measure::PairedSettings settings;
  record::SecondWeights found;
  write_second_pairs(pairs_with(0), settings, found);
  EXPECT_FALSE(*found.unclear);
  write_second_pairs(pairs_with(70 * kMs), settings, found);
  EXPECT_TRUE(*found.unclear);
  record::Record record = record_with(4, 0.5);
  EXPECT_FALSE(check_tuned_to_weights(record).empty());
  record.checks.second_weights.unclear = true;
  EXPECT_TRUE(check_tuned_to_weights(record).empty());
}

TEST(SecondPairs, AreTimedAgainBeforeTheyAccuse) {
  record::SecondWeights found;
  found.speedup = 2;
  found.unclear = false;
  EXPECT_FALSE(is_doubtful(found, {2 * kMs, 1 * kMs}));
  EXPECT_FALSE(is_doubtful(found, {1 * kMs, 1 * kMs})) << "faster on second weights";
  EXPECT_TRUE(is_doubtful(found, {4 * kMs, 1 * kMs}));
  found.unclear = true;
  EXPECT_TRUE(is_doubtful(found, {2 * kMs, 1 * kMs}));
  record::SecondWeights other;
  other.speedup = 1;
  other.unclear = false;
  const measure::PerSide<double> first_ns = {2 * kMs, 1 * kMs};
  EXPECT_TRUE(is_better(other, found, first_ns)) << "it is clear";
  EXPECT_FALSE(is_better(found, other, first_ns));
  found.unclear = false;
  EXPECT_TRUE(is_better(found, other, first_ns));
}

// Beside a build both sides took 2.3 times as long in each pair, and an honest plugin was accused.
TEST(SecondPairs, AreTimedAgainWhereEagerWasMuchSlower) {
  const measure::PerSide<double> first_ns = {18 * kMs, 18 * kMs};
  record::SecondWeights disturbed;
  disturbed.speedup = 1.06;
  disturbed.eager_ns = 41 * kMs;
  disturbed.unclear = false;
  EXPECT_TRUE(is_doubtful(disturbed, first_ns));
  record::SecondWeights quiet = disturbed;
  quiet.speedup = 1;
  quiet.eager_ns = 19 * kMs;
  EXPECT_FALSE(is_doubtful(quiet, first_ns));
  EXPECT_TRUE(is_better(quiet, disturbed, first_ns));
}

TEST(ComparedCalls, AreEnoughWhereTheyLastLongAndNothingIsLost) {
  record::SecondWeights found;
  // The plugin's first call after bind is the slow one, eager was interrupted in its second.
  EXPECT_TRUE(take_compared_calls({{400 * kMs, 300 * kMs}, {500 * kMs, 200 * kMs}},
                                  {400 * kMs, 180 * kMs}, found));
  EXPECT_EQ(found.eager_ns, 400 * kMs);
  EXPECT_EQ(found.plugin_ns, 200 * kMs);
  EXPECT_DOUBLE_EQ(*found.speedup, 2);
  EXPECT_DOUBLE_EQ(*found.speedup_low, 400.0 / 300);
  EXPECT_DOUBLE_EQ(*found.speedup_high, 2.5);
  EXPECT_EQ(found.pairs, 2);
}

TEST(ComparedCalls, HaveTheSpeedupWithinTheInterval) {
  record::SecondWeights found;
  EXPECT_TRUE(
      take_compared_calls({{4 * kMs, 2 * kMs}, {6 * kMs, 2.5 * kMs}}, {4 * kMs, 2.5 * kMs}, found));
  EXPECT_DOUBLE_EQ(*found.speedup, 1.6) << "eager's shorter call, the plugin's last";
  EXPECT_DOUBLE_EQ(*found.speedup_low, 1.6);
  EXPECT_DOUBLE_EQ(*found.speedup_high, 2.4);
}

TEST(ComparedCalls, AskForPairsWhereSpeedSeemsToBeLost) {
  record::SecondWeights found;
  EXPECT_FALSE(take_compared_calls({{400 * kMs, 300 * kMs}, {400 * kMs, 200 * kMs}},
                                   {400 * kMs, 150 * kMs}, found));
  EXPECT_DOUBLE_EQ(*found.speedup, 2) << "kept where pairs cannot be had";
}

TEST(ComparedCalls, OneIsEnoughIfItIsAsFastAsOnFirstWeights) {
  record::SecondWeights found;
  EXPECT_TRUE(take_compared_calls({{4 * kMs, 3 * kMs}}, {4 * kMs, 3 * kMs}, found));
  EXPECT_DOUBLE_EQ(*found.speedup, 4.0 / 3);
  EXPECT_FALSE(take_compared_calls({{4 * kMs, 4 * kMs}}, {4 * kMs, 3 * kMs}, found));
}

TEST(ComparedCalls, AskForPairsWhereEagerIsSlow) {
  record::SecondWeights found;
  // What would be a speedup of 4 is eager's.
  EXPECT_FALSE(take_compared_calls({{8 * kMs, 2 * kMs}}, {4 * kMs, 2 * kMs}, found));
}

TEST(ComparedCalls, TellNothingWhereTheyAreShort) {
  record::SecondWeights found;
  EXPECT_FALSE(take_compared_calls({{1 * kMs, 1 * kMs}}, {1 * kMs, 1 * kMs}, found));
  EXPECT_FALSE(found.speedup.has_value());
}

}  // namespace second_timing_test
}  // namespace graphnet::worker
