// SPDX-License-Identifier: MIT
#include "measure/pair_summary.h"

#include <gtest/gtest.h>

#include <cmath>

#include "measure/break_even.h"
#include "measure/disturbance.h"

namespace graphnet::measure {
namespace pair_summary_test {

TEST(Decide, FollowsTheTable) {
  PairedSettings settings;
  settings.margin = 0.01;
  settings.max_width = 0.05;
  const struct {
    double low;
    double high;
    Verdict verdict;
    double same_within;
  } cases[] = {
      {0.995, 1.005, Verdict::kSame, 0.01},   {1.002, 1.008, Verdict::kSame, 0.01},
      {0.99, 1.01, Verdict::kSame, 0.01},     {1.002, 1.02, Verdict::kFaster, 0},
      {1.5, 4.0, Verdict::kFaster, 0},        {0.9, 0.999, Verdict::kSlower, 0},
      {0.97, 1.02, Verdict::kSame, 0.03},     {0.98, 1.04, Verdict::kSame, 0.04},
      {0.94, 1.001, Verdict::kUnstable, 0.0}, {0.99, 1.06, Verdict::kUnstable, 0.0},
  };
  for (const auto& wanted : cases) {
    PairedSummary summary;
    summary.kept = 12;
    summary.low = summary.sure_low = wanted.low;
    summary.high = summary.sure_high = wanted.high;
    const Decision decision = decide(summary, settings);
    EXPECT_EQ(decision.verdict, wanted.verdict) << wanted.low << " " << wanted.high;
    EXPECT_NEAR(decision.same_within, wanted.same_within, 1e-12);
    summary.drops_exceeded = true;
    EXPECT_EQ(decide(summary, settings).verdict, Verdict::kUnstable);
    EXPECT_EQ(decide(summary, settings).reason, Unstable::kDrops);
    EXPECT_FALSE(summary.has_interval());
  }
  EXPECT_EQ(decide(PairedSummary(), settings).verdict, Verdict::kUnstable) << "no pair";
}

// Eager against itself on a machine whose speed wandered.
TEST(Decide, AsksForMoreConfidenceThanTheIntervalHas) {
  const double eager_ms[] = {717.3, 608.9, 632.0, 654.7, 559.6, 498.7, 538.6};
  const double backend_ms[] = {618.5, 531.4, 592.5, 615.7, 517.1, 558.0, 503.9};
  std::vector<Pair> pairs(7);
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    pairs[i].call_ns = {1e6 * eager_ms[i], 1e6 * backend_ms[i]};
  }
  const PairedSettings settings;
  const PairedSummary summary = summarise_pairs(pairs, settings, 0.95);
  EXPECT_GT(summary.low, 1.05);
  EXPECT_LT(summary.sure_low, 1);
  EXPECT_EQ(decide(summary, settings, 0.03).reason, Unstable::kWidth);
  const PairedSummary surer = summarise_pairs(pairs, settings, 0.995);
  EXPECT_EQ(surer.sure_low, surer.low);
  EXPECT_EQ(surer.sure_high, surer.high);
}

TEST(SummarisePairs, EachNumberIsWhatItSays) {
  // Ratios 1, 2, 4 and one outlier.
  std::vector<Pair> pairs(4);
  const double eager[] = {10, 20, 44, 5000};
  const double backend[] = {10, 10, 10, 20};
  for (std::size_t i = 0; i < 4; ++i) {
    pairs[i].call_ns = {eager[i], backend[i]};
    pairs[i].backend_first = i % 2 == 1;
  }
  pairs[2].waited_ns[kEager] = 4;
  const PairedSummary summary = summarise_pairs(pairs, PairedSettings(), 0.95);
  EXPECT_NEAR(summary.ratio, std::sqrt(8.0), 1e-12);
  EXPECT_NEAR(summary.ratio_of_minima, 1, 1e-12);
  EXPECT_NEAR(summary.median_ns[kEager], 30, 1e-12);
  EXPECT_NEAR(summary.ratio_of_medians, 3, 1e-12);
  EXPECT_NEAR(summary.waited_share, 4.0 / 5124, 1e-12);
  // Eager first: log 1 and log 4; backend first: log 2 and log 250.
  EXPECT_NEAR(summary.first_mover_bias, (std::log(2.0) - std::log(std::sqrt(500.0))) / 2, 1e-12);
  EXPECT_EQ(summary.kept, 4);
  EXPECT_LT(summary.low, summary.ratio);
  EXPECT_GT(summary.high, summary.ratio);
}

TEST(SummarisePairs, TooMuchTakenOutOfASideIsNoInterval) {
  std::vector<Pair> pairs(12);
  for (Pair& pair : pairs) {
    pair.call_ns = {1000, 1000};
    pair.waited_ns = {100, 300};
  }
  const PairedSummary summary = summarise_pairs(pairs, PairedSettings(), 0.95);
  EXPECT_NEAR(summary.removed_share[kEager], 0.1, 1e-12);
  EXPECT_NEAR(summary.removed_share[kBackend], 0.3, 1e-12);
  EXPECT_TRUE(summary.waits_exceeded);
  EXPECT_FALSE(summary.has_interval());
  const Decision decision = decide(summary, PairedSettings());
  EXPECT_EQ(decision.verdict, Verdict::kUnstable);
  EXPECT_EQ(decision.reason, Unstable::kWaits);
  PairedSettings patient;
  patient.max_waited = 0.4;
  EXPECT_EQ(decide(summarise_pairs(pairs, patient, 0.95), patient).verdict, Verdict::kFaster);
}

TEST(CountedTimes, AreThoseThatTheRatioIsMadeOf) {
  PairedResult result;
  result.pairs.resize(6);
  for (std::size_t i = 0; i < 6; ++i) result.pairs[i].call_ns = {100.0 + double(i), 50};
  result.pairs[0].waited_ns = {10, 20};
  result.pairs[5].marks[kBackend] = kPreempted;
  result.summary = summarise_pairs(result.pairs, PairedSettings(), 0.95);
  EXPECT_EQ(counted_ns(result, kEager), (std::vector<double>{90, 101, 102, 103, 104}));
  EXPECT_EQ(counted_ns(result, kBackend), (std::vector<double>{30, 50, 50, 50, 50}));
  EXPECT_DOUBLE_EQ(result.summary.median_ns[kEager], 102);
  for (Pair& pair : result.pairs) pair.marks[kEager] = kPreempted;
  result.summary = summarise_pairs(result.pairs, PairedSettings(), 0.95);
  EXPECT_EQ(counted_ns(result, kEager).size(), 6U) << "none is dropped if too many would be";
}

TEST(SummarisePairs, ThreeOfFivePairsAreNoInterval) {
  std::vector<Pair> pairs(5);
  for (Pair& pair : pairs) pair.call_ns = {1200, 1000};
  pairs[1].marks[kEager] = pairs[3].marks[kEager] = kPreempted;
  const PairedSettings settings;
  const PairedSummary summary = summarise_pairs(pairs, settings, 0.95);
  EXPECT_TRUE(summary.drops_exceeded);
  EXPECT_EQ(summary.kept, 5);
  EXPECT_EQ(decide(summary, settings).reason, Unstable::kDrops);
  pairs.resize(7);
  pairs[5].call_ns = pairs[6].call_ns = {1200, 1000};
  EXPECT_EQ(decide(summarise_pairs(pairs, settings, 0.95), settings).verdict, Verdict::kFaster);
}

TEST(NoiseFloor, IsOfDisturbedControlsOnlyIfAllAre) {
  std::vector<Pair> controls(2);
  controls[0].call_ns = {1100, 1000};
  controls[1].call_ns = {1300, 1000};
  controls[1].marks[kEager] = kPreempted;
  EXPECT_NEAR(noise_floor_of(controls).value_or(0), 0.1, 1e-9);
  controls.erase(controls.begin());
  EXPECT_NEAR(noise_floor_of(controls).value_or(0), 0.3, 1e-9);
  EXPECT_FALSE(noise_floor_of({}).has_value());
}

// The median of three ratios may be 1 by chance.
TEST(NoiseFloor, OfFewControlsIsTheirTypicalDistance) {
  std::vector<Pair> controls(3);
  controls[0].call_ns = {1030, 1000};
  controls[1].call_ns = {1000, 1000};
  controls[2].call_ns = {1000, 1040};
  EXPECT_NEAR(noise_floor_of(controls).value_or(0), 0.03, 1e-9);
  for (int i = 0; i < 6; ++i) controls.push_back(controls[1]);
  EXPECT_NEAR(noise_floor_of(controls).value_or(1), 0, 1e-9);
}

TEST(SummarisePairs, WithoutPairsThereIsNoNumber) {
  const PairedSummary summary = summarise_pairs({}, PairedSettings(), 0.95);
  EXPECT_EQ(summary.kept, 0);
  EXPECT_EQ(summary.high, 0);
}

TEST(BreakEven, IsCostBySavingRoundedUp) {
  EXPECT_EQ(break_even_calls(900, 100, 30, 20), 100);
  EXPECT_EQ(break_even_calls(901, 100, 30, 20), 101);
  EXPECT_EQ(break_even_calls(0, 0, 30, 20), 0);
  EXPECT_EQ(break_even_calls(900, 100, 20, 20), std::nullopt);
  EXPECT_EQ(break_even_calls(900, 100, 20, 30), std::nullopt);
  EXPECT_EQ(break_even_calls(1e12, 0, 20, 20 - 1e-9), std::nullopt);
  EXPECT_EQ(break_even_calls(1, 1, std::nan(""), 30), std::nullopt);
}

}  // namespace pair_summary_test
}  // namespace graphnet::measure
