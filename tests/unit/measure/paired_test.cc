// SPDX-License-Identifier: MIT
#include "measure/paired.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "measure/pair_summary.h"
#include "unit/measure/simulated_machine.h"

namespace graphnet::measure {
namespace paired_test {

using base::Code;
using base::Status;

TEST(TimePaired, BothOrdersAreEquallyFrequentInEachFourPairs) {
  SimulatedMachine machine;
  const auto result = machine.compare(exactly(400));
  ASSERT_TRUE(result.is_ok());
  ASSERT_EQ(result->pairs.size(), 400U);
  int repeats = 0;
  for (std::size_t i = 0; i < 400; i += 4) {
    int backend_first = 0;
    for (std::size_t j = i; j < i + 4; ++j) backend_first += result->pairs[j].backend_first;
    EXPECT_EQ(backend_first, 2);
    repeats += result->pairs[i].backend_first == result->pairs[i + 1].backend_first;
  }
  // By chance a block of four begins with two equal ones in a third of the cases.
  EXPECT_GT(repeats, 15);
  EXPECT_LT(repeats, 55);
}

TEST(TimePaired, OrderFollowsTheSeedAlone) {
  const auto orders = [](std::uint64_t seed) {
    SimulatedMachine machine;
    PairedSettings settings = exactly(64);
    settings.seed = seed;
    std::string order;
    const auto result = machine.compare(settings);
    for (const Pair& pair : result->pairs) order += pair.backend_first ? 'b' : 'e';
    return order;
  };
  EXPECT_EQ(orders(1), orders(1));
  EXPECT_NE(orders(1), orders(2));
}

TEST(TimePaired, RatioIsEagerByBackend) {
  SimulatedMachine machine;
  machine.duration = [&](Side side) {
    return (side == kEager ? 3e6 : 2e6) * (1 + 0.01 * machine.normal());
  };
  const auto result = machine.compare(PairedSettings());
  ASSERT_TRUE(result.is_ok());
  EXPECT_NEAR(result->summary.ratio, 1.5, 0.01);
  EXPECT_NEAR(result->summary.hodges_lehmann, 1.5, 0.01);
  EXPECT_NEAR(result->summary.ratio_of_medians, 1.5, 0.01);
  EXPECT_NEAR(result->summary.ratio_of_minima, 1.5, 0.05);
  EXPECT_NEAR(result->summary.median_ns[kBackend], 2e6, 2e4);
  EXPECT_LT(result->summary.low, 1.5);
  EXPECT_GT(result->summary.high, 1.5);
  EXPECT_EQ(result->verdict, Verdict::kFaster);
  EXPECT_EQ(result->stop, Stop::kPrecise);
  EXPECT_LE(half_width(result->summary), 0.005);
}

TEST(TimePaired, DriftGoesIntoNeitherSide) {
  // The machine becomes three times slower during the measurement.
  SimulatedMachine machine;
  double speed = 1;
  machine.duration = [&](Side) { return 1e6 * (speed *= 1.0005); };
  const auto result = machine.compare(exactly(500));
  ASSERT_TRUE(result.is_ok());
  EXPECT_GT(result->pairs.back().call_ns[kEager], 2.5 * result->pairs.front().call_ns[kEager]);
  EXPECT_NEAR(result->summary.ratio, 1, 2e-4);
}

TEST(TimePaired, ComingFirstIsFoundAndDoesNotBias) {
  SimulatedMachine machine;
  PairedHooks hooks;
  bool first = false;
  hooks.before_pair = [&](const PairPlan&) {
    first = true;
    return Status::ok();
  };
  hooks.after_side_sample = [&](Side, int) {
    first = false;
    return Status::ok();
  };
  machine.duration = [&](Side) { return 1e7 * (first ? 1.02 : 1) * (1 + 1e-4 * machine.normal()); };
  const auto result = machine.compare(exactly(100), hooks);
  ASSERT_TRUE(result.is_ok());
  EXPECT_NEAR(result->summary.first_mover_bias, std::log(1.02), 1e-3);
  EXPECT_NEAR(result->summary.hodges_lehmann, 1, 1e-3);
}

TEST(TimePaired, StopsAtTheFirstAnalysisIfNothingVaries) {
  SimulatedMachine machine;
  const auto result = machine.compare(PairedSettings());
  ASSERT_TRUE(result.is_ok());
  EXPECT_EQ(result->pairs.size(), 12U);
  EXPECT_EQ(result->analyses, 1);
  EXPECT_EQ(result->stop, Stop::kEquivalent);
  EXPECT_EQ(result->verdict, Verdict::kSame);
  EXPECT_DOUBLE_EQ(result->same_within, 0.01);
}

TEST(TimePaired, LooksDoubleAndShareTheError) {
  SimulatedMachine machine;
  const auto result = machine.compare(exactly(100));
  ASSERT_TRUE(result.is_ok());
  EXPECT_EQ(result->analyses, 5);  // 12, 24, 48, 96, 100
  EXPECT_EQ(result->planned_analyses, 5);
  EXPECT_NEAR(result->summary.confidence, 0.99, 1e-12);
  EXPECT_EQ(result->stop, Stop::kPairs);
}

TEST(TimePaired, LongCallsGetMoreThanTheUsualTimeButNotMoreThanTheirs) {
  const auto pairs = [](double call_ns) {
    SimulatedMachine machine;
    machine.duration = [&](Side) { return call_ns * (1 + 0.05 * machine.normal()); };
    PairedSettings settings;
    settings.remeasure = false;
    settings.control_every = 0;
    return machine.compare(settings)->pairs.size();
  };
  EXPECT_NEAR(static_cast<double>(pairs(10e6)), 100, 5);  // 2 s of 20 ms
  EXPECT_EQ(pairs(50e6), 48U);                            // 5 s
  EXPECT_NEAR(static_cast<double>(pairs(500e6)), 10, 1);  // 10 s of 1 s
  EXPECT_EQ(pairs(10e9), 5U);
}

TEST(TimePaired, WaitsForACoreAreTakenOut) {
  // A neighbour takes the core in most side samples, for up to half as long as a call.
  SimulatedMachine machine;
  machine.duration = [&](Side) {
    const double waited_ns = machine.uniform() < 0.8 ? std::floor(5e6 * machine.uniform()) : 0;
    *machine.counters.waited_ns += std::llround(waited_ns);
    return 1e7 + waited_ns;
  };
  const auto result = machine.compare(PairedSettings());
  ASSERT_TRUE(result.is_ok());
  EXPECT_NEAR(result->summary.ratio, 1, 1e-4);
  EXPECT_EQ(result->summary.dropped, 0);
  EXPECT_GT(result->summary.waited_share, 0.05);
  EXPECT_EQ(result->verdict, Verdict::kSame);
}

TEST(TimePaired, MostlyWaitingIsUnstable) {
  // What is left after taking out more than a fifth says more about the kernel's counters.
  SimulatedMachine machine;
  machine.duration = [&](Side) {
    *machine.counters.waited_ns += 4'000'000;
    return 1e7;
  };
  const auto result = machine.compare(exactly(12));
  ASSERT_TRUE(result.is_ok());
  EXPECT_TRUE(result->summary.waits_exceeded);
  EXPECT_EQ(result->verdict, Verdict::kUnstable);
  EXPECT_STREQ(unstable_name(result->reason), "waits");
}

TEST(TimePaired, APluginWithThreadsIsNotJudgedByWallAgainstEagerWithoutWaits) {
  // Each side is at work for 10 ms of 12 ms; only eager's waits can be told from work.
  SimulatedMachine machine;
  machine.duration = [&](Side side) {
    if (side == kBackend) machine.counters.others_ran_ns += 8'000'000;
    *machine.counters.waited_ns += side == kEager ? 2'000'000 : 0;
    return 1.2e7;
  };
  const auto result = machine.compare(exactly(12));
  ASSERT_TRUE(result.is_ok());
  EXPECT_NEAR(result->summary.ratio, 1, 1e-6);
  EXPECT_EQ(result->summary.median_ns[kEager], result->summary.median_ns[kBackend]);
  EXPECT_EQ(result->pairs[0].waited_ns[kEager], 0);
  EXPECT_NEAR(result->pairs[0].unwaited_ns[kEager], 1e7, 1e3) << "eager alone could be freed";
  EXPECT_NEAR(result->pairs[0].unwaited_ns[kBackend], 1.2e7, 1e3);
}

TEST(TimePaired, CallsOfABlockKeepTheirWaits) {
  SimulatedMachine machine;
  int call = 0;
  machine.duration = [&](Side) {
    if (++call % 50 == 0) *machine.counters.waited_ns += 3000;
    return call % 50 == 0 ? 4000.0 : 1000.0;
  };
  const auto result = machine.compare(exactly(40));
  ASSERT_TRUE(result.is_ok());
  EXPECT_EQ(result->calls_per_side_sample[kEager], 20);
  int marked = 0;
  for (const Pair& pair : result->pairs) {
    EXPECT_EQ(pair.waited_ns, (PerSide<double>{0, 0}));
    marked += pair.is_disturbed() ? 1 : 0;
  }
  EXPECT_GT(marked, 0);
}

TEST(TimePaired, ProcessorTimeOfEachSideSampleIsCounted) {
  SimulatedMachine machine;
  machine.counters.ran_ns = 0;
  machine.duration = [&](Side side) {
    *machine.counters.ran_ns += side == kEager ? 10'000'000 : 19'000'000;
    machine.counters.at_ns += 10'000'000;
    machine.counters.end_ns = machine.counters.at_ns;
    return 1e7;
  };
  const auto result = machine.compare(exactly(4));
  ASSERT_TRUE(result.is_ok());
  for (const Pair& pair : result->pairs) {
    EXPECT_EQ(pair.ran_ns, (PerSide<double>{1e7, 1.9e7}));
    EXPECT_EQ(pair.span_ns, (PerSide<double>{1e7, 1e7}));
  }
}

TEST(TimePaired, ASideSampleDisturbedOnOneSideDropsItsPair) {
  // The process's other threads run, so waits cannot be told from work; only eager is disturbed.
  SimulatedMachine machine;
  int call = 0;
  machine.duration = [&](Side side) {
    machine.counters.others_ran_ns += 10'000'000;
    const bool disturbed = side == kEager && ++call % 4 == 0;
    if (disturbed) *machine.counters.waited_ns += 5'000'000;
    return disturbed ? 1.5e7 : 1e7;
  };
  const auto result = machine.compare(exactly(40));
  ASSERT_TRUE(result.is_ok());
  EXPECT_EQ(result->pairs.size(), 40U) << "the raw pairs stay";
  EXPECT_EQ(result->summary.dropped, 10);
  EXPECT_EQ(result->summary.kept, 30);
  EXPECT_FALSE(result->summary.drops_exceeded);
  for (const Pair& pair : result->pairs) {
    EXPECT_EQ(pair.is_disturbed(), pair.call_ns[kEager] > 1.2e7);
    EXPECT_EQ(pair.waited_ns[kEager], 0);
    EXPECT_EQ(pair.marks[kBackend], kUndisturbed);
  }
  EXPECT_NEAR(result->summary.ratio_of_minima, 1, 1e-5);
  EXPECT_NEAR(result->summary.hodges_lehmann, 1, 1e-5);
}

/// Who waits 1 ms for a core in each so many of its calls, while others of the process run.
struct Waits {
  int plugins_every = 1;  ///< 0: never
  int eagers_every = 0;
  std::int64_t others_ran_ns = 10'000'000;
};

std::ptrdiff_t num_disturbed(const Waits& waits, const OthersShare& others) {
  SimulatedMachine machine;
  machine.others = others;
  PerSide<int> calls = {};
  machine.duration = [&](Side side) {
    machine.counters.others_ran_ns += waits.others_ran_ns;
    const int every = side == kEager ? waits.eagers_every : waits.plugins_every;
    if (every > 0 && ++calls[side] % every == 0) *machine.counters.waited_ns += 1'000'000;
    return 1e7;
  };
  const auto result = machine.compare(exactly(40));
  EXPECT_EQ(result->others_share, others ? others() : std::nullopt);
  return std::count_if(result->pairs.begin(), result->pairs.end(),
                       [](const Pair& pair) { return pair.is_disturbed(); });
}

// XLA's calling thread waits for a core that two threads of XLA's pool have.
TEST(TimePaired, PluginsOwnWaitsAreNoMarkWhereNobodyElseIs) {
  const OthersShare alone = [] { return 0.04; };
  EXPECT_EQ(num_disturbed({}, alone), 0);
  EXPECT_EQ(num_disturbed({4}, alone), 0);
  EXPECT_EQ(num_disturbed({}, [] { return 0.11; }), 40);
  EXPECT_EQ(num_disturbed({}, nullptr), 40);
  EXPECT_EQ(num_disturbed({1, 0, 400'000}, alone), 40)
      << "its threads ran for less than half of that";
  EXPECT_EQ(num_disturbed({5}, alone), 8) << "seldom: another program's";
  EXPECT_EQ(num_disturbed({1, 1}, alone), 40) << "whoever makes eager wait may be the plugin";
  EXPECT_EQ(num_disturbed({0, 1}, alone), 40);
}

// At each interim analysis all marks of the attempt are decided upon again.
TEST(TimePaired, OwnWaitsAreMarksAgainOnceOthersCome) {
  int look = 0;
  EXPECT_EQ(num_disturbed({}, [&] { return ++look == 1 ? 0.0 : 0.11; }), 40);
  EXPECT_GT(look, 1);
}

TEST(TimePaired, LongCallsGetNoMorePairsForOwnWaits) {
  SimulatedMachine machine;
  machine.others = [] { return 0.0; };
  machine.duration = [&](Side side) {
    machine.counters.others_ran_ns += 1'000'000'000;
    if (side == kBackend) *machine.counters.waited_ns += 500'000'000;
    return 1e9;
  };
  PairedSettings settings;
  settings.long_call_time_ns = 3'000'000'000;
  const auto result = machine.compare(settings);
  ASSERT_TRUE(result.is_ok());
  EXPECT_EQ(result->summary.kept, 5);
  EXPECT_EQ(result->pairs.size(), 5U);
}

TEST(TimePaired, LongCallsGetMorePairsForDisturbedOnes) {
  SimulatedMachine machine;
  machine.duration = [&](Side side) {
    machine.counters.others_ran_ns += 1'000'000'000;
    const auto num_calls = std::count(machine.calls.begin(), machine.calls.end(), 'e');
    const bool disturbed = side == kEager && num_calls <= 2;
    if (disturbed) *machine.counters.waited_ns += 500'000'000;
    return disturbed ? 1.5e9 : 1e9;
  };
  PairedSettings settings;
  settings.long_call_time_ns = 3'000'000'000;
  const auto result = machine.compare(settings);
  ASSERT_TRUE(result.is_ok());
  EXPECT_EQ(result->pairs.size(), 7U);
  EXPECT_EQ(result->summary.kept, 5);
}

TEST(TimePaired, TooManyDisturbedPairsAreUnstableAndNoneIsDropped) {
  SimulatedMachine machine;
  machine.duration = [&](Side) {
    machine.counters.others_ran_ns += 10'000'000;
    *machine.counters.waited_ns += 1'000'000;
    return 1e7;
  };
  PairedSettings settings;
  settings.max_pairs = 48;
  const auto result = machine.compare(settings);
  ASSERT_TRUE(result.is_ok());
  EXPECT_TRUE(result->summary.drops_exceeded);
  EXPECT_EQ(result->summary.dropped, 0);
  EXPECT_EQ(result->verdict, Verdict::kUnstable);
  EXPECT_TRUE(result->remeasured);
}

TEST(TimePaired, StealMarksTheLook) {
  SimulatedMachine machine;
  int look = 0;
  machine.steal = [&] { return ++look == 2 ? 0.3 : 0.0; };  // the first reading only begins
  const auto result = machine.compare(exactly(48));
  ASSERT_TRUE(result.is_ok());
  EXPECT_EQ(result->summary.dropped, 12);
  EXPECT_EQ(result->pairs[11].marks[kBackend], kSteal);
  EXPECT_EQ(result->pairs[12].marks[kBackend], kUndisturbed);
  EXPECT_NEAR(result->steal_share, 0.3 * 12 / 48, 1e-12);
}

TEST(TimePaired, NoiseBeyondTheBudgetIsUnstableAndMeasuredOnceMore) {
  SimulatedMachine machine;
  machine.duration = [&](Side) { return 1e7 * std::exp(machine.normal()); };
  PairedSettings settings;
  settings.max_pairs = 24;
  settings.control_every = 0;
  int last_index = -1;
  PairedHooks hooks;
  hooks.before_pair = [&](const PairPlan& plan) {
    EXPECT_EQ(plan.index, last_index + 1);
    last_index = plan.index;
    return Status::ok();
  };
  const auto result = machine.compare(settings, hooks);
  ASSERT_TRUE(result.is_ok()) << "noise is no failure";
  EXPECT_EQ(result->verdict, Verdict::kUnstable);
  EXPECT_TRUE(result->remeasured);
  EXPECT_EQ(machine.quiet_waits, 1);
  EXPECT_EQ(result->pairs.size(), 24U);
  EXPECT_EQ(last_index, 47) << "the second attempt's pairs count on";
  EXPECT_GT(result->summary.high / result->summary.low, 1.5) << "the wide interval is reported";
  settings.remeasure = false;
  EXPECT_FALSE(machine.compare(settings)->remeasured);
}

TEST(TimePaired, ASecondAttemptOnAQuietMachineCounts) {
  SimulatedMachine machine;
  machine.duration = [&](Side) {
    return 1e7 * (machine.quiet_waits > 0 ? 1 : std::exp(machine.normal()));
  };
  PairedSettings settings;
  settings.max_pairs = 24;
  const auto result = machine.compare(settings);
  ASSERT_TRUE(result.is_ok());
  EXPECT_TRUE(result->remeasured);
  EXPECT_EQ(result->verdict, Verdict::kSame);
  EXPECT_EQ(result->analyses, 1);
}

TEST(TimePaired, FailuresSayWhere) {
  SimulatedMachine machine;
  const auto fail = [] { return Status(Code::kPlugin, "refused"); };
  const Warmup warm;
  PerSide<SideCalls> sides = machine.sides();
  int calls = 0;
  sides[kBackend].call = [&] { return ++calls == 6 ? fail() : Status::ok(); };
  const auto result = time_paired(sides, {warm, warm}, {}, exactly(40), machine.instruments());
  ASSERT_FALSE(result.is_ok());
  EXPECT_EQ(result.status().code(), Code::kPlugin);
  EXPECT_EQ(result.status().context().back(), "pair 3, backend");
  EXPECT_EQ(calls, 6);

  sides = machine.sides();
  sides[kEager].prepare = fail;
  EXPECT_FALSE(time_paired(sides, {warm, warm}, {}, exactly(4), machine.instruments()).is_ok());
  PairedHooks hooks;
  hooks.before_pair = [&](const PairPlan&) { return fail(); };
  EXPECT_FALSE(machine.compare(exactly(4), hooks).is_ok());
  hooks = {};
  hooks.before_call = [&](Side, int, int call) { return call == 0 ? fail() : Status::ok(); };
  EXPECT_FALSE(machine.compare(exactly(4), hooks).is_ok());
  hooks = {};
  hooks.after_call = [&](Side, int, int call) { return call == 0 ? fail() : Status::ok(); };
  EXPECT_FALSE(machine.compare(exactly(4), hooks).is_ok());
  hooks = {};
  hooks.after_side_sample = [&](Side, int) { return fail(); };
  EXPECT_FALSE(machine.compare(exactly(4), hooks).is_ok());
}

/// Share of A/A measurements whose interval holds 1.
double coverage(const PairedSettings& settings,
                const std::function<double(SimulatedMachine&)>& noise) {
  constexpr int kExperiments = 200;
  int covered = 0;
  for (int i = 0; i < kExperiments; ++i) {
    SimulatedMachine machine(static_cast<std::uint64_t>(i) + 1);
    machine.duration = [&](Side) { return 1e7 * noise(machine); };
    PairedSettings own = settings;
    own.seed = static_cast<std::uint64_t>(i) + 1;
    const auto result = machine.compare(own);
    covered += result->summary.low <= 1 && result->summary.high >= 1;
  }
  return static_cast<double>(covered) / kExperiments;
}

// The goal is 95 %; three standard errors of 200 experiments are 4.6 %.
constexpr double kLeastCoverage = 0.904;

TEST(Coverage, OfNormalNoise) {
  PairedSettings settings;
  settings.max_pairs = 48;
  EXPECT_GE(coverage(settings, [](auto& machine) { return 1 + 0.02 * machine.normal(); }),
            kLeastCoverage);
}

TEST(Coverage, OfTwelvePairs) {
  EXPECT_GE(coverage(exactly(12), [](auto& machine) { return 1 + 0.02 * machine.normal(); }),
            kLeastCoverage);
}

TEST(Coverage, OfRareLongDisturbances) {
  PairedSettings settings;
  settings.max_pairs = 48;
  EXPECT_GE(coverage(settings,
                     [](auto& machine) {
                       const double usual = 1 + 0.01 * machine.normal();
                       return machine.uniform() < 0.1 ? usual * (1 + 5 * machine.uniform()) : usual;
                     }),
            kLeastCoverage);
}

TEST(Coverage, OfNoiseThatLastsForSeveralPairs) {
  // Both side samples of a pair see different values of a slow noise: neighbouring pairs are alike
  // only where it moves in one direction for long.
  double state = 0;
  PairedSettings settings = exactly(48);
  EXPECT_GE(coverage(settings,
                     [&](auto& machine) {
                       state = 0.9 * state + machine.normal();
                       return std::exp(0.02 * state);
                     }),
            kLeastCoverage);
}

TEST(Names, OfStopsAndVerdicts) {
  EXPECT_STREQ(stop_name(Stop::kEquivalent), "equivalent");
  EXPECT_STREQ(stop_name(Stop::kTime), "time");
}

}  // namespace paired_test
}  // namespace graphnet::measure
