// SPDX-License-Identifier: MIT
#include "measure/disturbance.h"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "measure/cache_flush.h"
#include "measure/clock.h"
#include "measure/cycle_clock.h"
#include "measure/idle_wait.h"
#include "measure/instruments.h"
#include "support/one_core.h"

namespace graphnet::measure {
namespace disturbance_test {

TEST(Judge, FollowsTheRule) {
  const struct {
    DisturbanceCounters after;
    Disturbance mark;
    bool is_removable;
  } cases[] = {
      {{0, 0, 0}, kUndisturbed, true},
      {{500, 0, 3}, kPreempted, true},
      {{5, 0, 0}, kUndisturbed, true},
      {{5, 900, 0}, kUndisturbed, false},
      {{500, 900, 3}, kPreempted, false},
      {{1000, 0, 1}, kPreempted, false},
      {{std::nullopt, 0, 0}, kUndisturbed, false},
      {{std::nullopt, 0, 1}, kPreempted, false},
      // The other thread had the core while this one waited for it.
      {{500, 500, 3, 1000, {}, 1000, 1000}, kUndisturbed, false},
      {{500, 300, 3, 800, {}, 1000, 1000}, kPreempted, false},
  };
  for (const auto& wanted : cases) {
    const Judgement judgement = judge({0, 0, 0, 0, {}, 0, 0}, wanted.after, 1000, 0.01);
    EXPECT_EQ(judgement.mark, wanted.mark);
    EXPECT_EQ(judgement.is_removable, wanted.is_removable);
    EXPECT_EQ(judgement.waited_ns, static_cast<double>(wanted.after.waited_ns.value_or(0)));
  }
  // On two cores the same leaves one core's time to somebody else.
  EXPECT_EQ(judge({0, 0, 0, 0, {}, 0, 0}, {500, 500, 3, 1000, {}, 1000, 1000}, 1000, 0.01, 2).mark,
            kPreempted);
}

TEST(Judge, SaysWhetherOtherThreadsRanForHalfOfTheWait) {
  const auto may_be_own = [](const DisturbanceCounters& after) {
    return judge({0, 0, 0}, after, 1000, 0.01).may_be_own;
  };
  EXPECT_TRUE(may_be_own({500, 250, 0}));
  EXPECT_FALSE(may_be_own({500, 249, 0}));
  EXPECT_FALSE(may_be_own({std::nullopt, 500, 1})) << "nobody counts waits";
}

TEST(UnwaitedNs, IsWhatACallTookWithoutOtherPrograms) {
  constexpr double kShare = 0.01;
  DisturbanceCounters before = {0, 0, 0, 0, {}, 0, 0};
  DisturbanceCounters after = before;
  const auto unwaited = [&](double call_ns) { return unwaited_ns(before, after, call_ns, kShare); };
  // Of one thread: 1000 in the call, and 30 for the readings.
  after.ran_ns = 1030;
  EXPECT_EQ(unwaited(1000), 1000);
  after.waited_ns = 7000;
  EXPECT_EQ(unwaited(8000), 1030) << "the wait was in the call";
  EXPECT_EQ(unwaited(1000), 1000) << "between a reading and the call";
  after.waited_ns = 0;
  EXPECT_EQ(unwaited(8000), 8000) << "it slept, which no other program made it do";
  after.waited_ns = 1000;
  EXPECT_EQ(unwaited(8000), 7000);
  after.waited_ns = 700;
  before.ran_ns = after.ran_ns = std::nullopt;
  EXPECT_EQ(unwaited(1000), 300) << "as long as nobody else of the process ran";
  after.others_ran_ns = 500;
  EXPECT_EQ(unwaited(1000), 1000);
}

TEST(UnwaitedNs, CountsTheWaitsOfAllThreads) {
  const DisturbanceCounters before = {0, 0, 0, 0, {}, 0, 0};
  DisturbanceCounters after = {0, 500, 0, 1000, {}, 0, 0};
  EXPECT_EQ(unwaited_ns(before, after, 9000, 0.01), 9000) << "the calling thread sleeps";
  after.others_waited_ns = 8500;
  EXPECT_EQ(unwaited_ns(before, after, 9000, 0.01), 1000) << "since another one has no core";
  after.others_waited_ns = -1;  // one has ended
  EXPECT_EQ(unwaited_ns(before, after, 9000, 0.01), 9000);
  // The plugin's own threads keep each other waiting.
  after.ran_ns = 9000;
  after.others_waited_ns = 8500;
  EXPECT_EQ(unwaited_ns(before, after, 9000, 0.01), 9000);
}

TEST(OtherThreads, WaitWhereTheyShareACore) {
  const tests::OneCore here;
  OtherThreads others;
  others.bring_up_to_date();
  EXPECT_EQ(others.waited_ns(), 0);
  std::atomic<bool> is_done = false;
  const auto work = [&] {
    while (!is_done) {
    }
  };
  std::thread first(work);
  std::thread second(work);
  const std::int64_t end_ns = monotonic_raw_ns() + 60'000'000;
  while (monotonic_raw_ns() < end_ns) {
  }
  const bool is_counted = DisturbanceMeter().read().waited_ns.has_value();
  others.bring_up_to_date();
  EXPECT_EQ(others.waited_ns() > 10'000'000, is_counted);
  EXPECT_EQ(DisturbanceMeter(/*counts_others=*/false).read().others_waited_ns, 0);
  is_done = true;
  first.join();
  second.join();
}

// Without that the process's clock has all of a tick of a short stretch, or nothing.
TEST(OtherThreads, AreBroughtUpToDateInTheProcesssClock) {
  constexpr int kStretches = 41;
  constexpr std::int64_t kStretchNs = 300'000;
  std::atomic<bool> is_done = false;
  std::thread spins([&] {
    while (!is_done) {
    }
  });
  clockid_t clock = 0;
  ASSERT_EQ(::pthread_getcpuclockid(spins.native_handle(), &clock), 0);
  const DisturbanceMeter meter(/*counts_others=*/true);
  std::vector<std::int64_t> errors_ns;
  for (int i = 0; i < kStretches; ++i) {
    const DisturbanceCounters before = meter.read();
    const std::int64_t begin_ns = clock_ns_by_syscall(clock);
    const std::int64_t end_ns = monotonic_raw_ns() + kStretchNs;
    while (monotonic_raw_ns() < end_ns) {
    }
    const std::int64_t counted_ns = meter.read().others_ran_ns - before.others_ran_ns;
    errors_ns.push_back(std::abs(counted_ns - (clock_ns_by_syscall(clock) - begin_ns)));
  }
  is_done = true;
  spins.join();
  std::sort(errors_ns.begin(), errors_ns.end());
  EXPECT_LT(errors_ns[kStretches / 2], kStretchNs / 4);
}

TEST(SettleWaits, TakesThemOutOfBothSidesOrOfNeither) {
  const Judgement waited = {kPreempted, 300, true};
  const Judgement still = {kUndisturbed, 0, true};
  const Judgement shared = {kUndisturbed, 4, false};
  Pair pair;
  settle_waits({waited, still}, {1, 1}, pair);
  EXPECT_EQ(pair.waited_ns, (PerSide<double>{300, 0}));
  EXPECT_FALSE(pair.is_disturbed());
  settle_waits({waited, shared}, {1, 1}, pair);
  EXPECT_EQ(pair.waited_ns, (PerSide<double>{0, 0})) << "the plugin's wait cannot be taken out";
  EXPECT_EQ(pair.marks, (PerSide<std::uint8_t>{kPreempted, kUndisturbed}));
  EXPECT_FALSE(pair.may_be_own_wait) << "eager's";
  const Judgement own = {kPreempted, 300, false, true};
  settle_waits({still, own}, {1, 1}, pair);
  EXPECT_TRUE(pair.may_be_own_wait);
  settle_waits({own, still}, {1, 1}, pair);
  EXPECT_FALSE(pair.may_be_own_wait);
  settle_waits({waited, still}, {1, 7}, pair);
  EXPECT_EQ(pair.waited_ns, (PerSide<double>{0, 0})) << "calls of a block share their side sample";
  EXPECT_TRUE(pair.is_disturbed());
}

TEST(DisturbanceMeter, CountsOtherThreadsOfTheProcess) {
  const DisturbanceMeter meter;
  const DisturbanceCounters before = meter.read();
  std::thread([] {
    constexpr std::int64_t kRuns = 5'000'000;  // however late it has a core
    while (clock_ns_by_syscall(CLOCK_THREAD_CPUTIME_ID) < kRuns) {
    }
  }).join();
  const DisturbanceCounters after = meter.read();
  EXPECT_GT(after.others_ran_ns - before.others_ran_ns, 100'000);
  EXPECT_GE(*after.ran_ns - *before.ran_ns, after.others_ran_ns - before.others_ran_ns);
  EXPECT_GT(after.at_ns, before.at_ns);
  EXPECT_GE(after.switches, before.switches);
  if (before.waited_ns) {
    EXPECT_GE(*after.waited_ns, *before.waited_ns);
  }
}

TEST(CoreTicks, AreReadFromStat) {
  const auto ticks = core_ticks_in("cpu  10 20 30 40 1 2 3 4 100 200\ncpu0 1 1 1 1 1 1 1 1\n");
  ASSERT_TRUE(ticks.has_value());
  EXPECT_EQ(ticks->total, 110);
  EXPECT_EQ(ticks->steal, 4);
  EXPECT_EQ(ticks->busy, 69);
  EXPECT_EQ(
      core_ticks_in("cpu  10 20\ncpu1 1 1 1 1 1 1 1 1\ncpu12 2 3 1 1 1 1 1 1\n", "cpu12 ")->busy,
      9);
  for (const char* text :
       {"", "cpu", "cpu  1 2 3", "cpu0 1 2 3 4 5 6 7 8\n", "cpu  1 2 3 4 5 6 7 x"}) {
    EXPECT_FALSE(core_ticks_in(text).has_value()) << text;
  }
  EXPECT_DOUBLE_EQ(steal_share({100, 4}, {200, 14}), 0.1);
  EXPECT_DOUBLE_EQ(steal_share({100, 4}, {100, 4}), 0);
}

TEST(RunningThreads, AreReadFromStat) {
  EXPECT_EQ(running_in("cpu 1\nprocs_running 7\nprocs_blocked 0\n"), 7);
  EXPECT_EQ(running_in("cpu 1\nprocs_running \n"), std::nullopt);
  EXPECT_EQ(running_in(""), std::nullopt);
}

TEST(WaitUntilIdle, SeesAThreadThatRunsAndOneThatSleeps) {
  EXPECT_TRUE(wait_until_idle(1'000'000'000)) << "no other thread";
  std::atomic<bool> runs = false;
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    while (!stop) runs = true;
  });
  while (!runs) {  // a new thread may sleep on its first pages
  }
  EXPECT_FALSE(wait_until_idle(20'000'000));
  stop = true;
  busy.join();
  EXPECT_TRUE(wait_until_idle(5'000'000'000));
}

TEST(CacheBytes, AsTheKernelWritesThem) {
  EXPECT_EQ(cache_bytes_in("32768K"), 32 << 20);
  EXPECT_EQ(cache_bytes_in("1M"), 1 << 20);
  EXPECT_EQ(cache_bytes_in("512"), 512);
  for (const char* text : {"", "K", "-1K", "3X", "99999999999999999999K"}) {
    EXPECT_EQ(cache_bytes_in(text), 0) << text;
  }
  EXPECT_GE(last_level_cache_bytes(), 32 << 10);
}

TEST(CacheFlush, IsTwiceTheCacheOrAsAsked) {
  EXPECT_EQ(static_cast<std::int64_t>(CacheFlush(0).num_bytes()), 2 * last_level_cache_bytes());
  CacheFlush flush(1 << 20);
  EXPECT_EQ(flush.num_bytes(), 1U << 20U);
  flush();
}

TEST(MachineInstruments, FollowTheSettings) {
  PairedSettings settings;
  Instruments tools = machine_instruments(settings, 1);
  EXPECT_TRUE(tools.wait_idle()) << "one thread's plugin may leave another spinning";
  EXPECT_FALSE(tools.flush_cache);
  EXPECT_GT(tools.now(), 0);
  EXPECT_GE(tools.steal_share(), 0);
  settings.cache = CacheMode::kCold;
  settings.flush_bytes = 1 << 20;
  settings.quiet_wait_ns = 1;
  tools = machine_instruments(settings, 2);
  EXPECT_TRUE(tools.wait_idle());
  tools.flush_cache();
  tools.wait_quiet();
}

}  // namespace disturbance_test
}  // namespace graphnet::measure
