// SPDX-License-Identifier: MIT
#include "measure/disturbance.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "measure/cache_flush.h"
#include "measure/clock.h"
#include "measure/idle_wait.h"
#include "measure/instruments.h"

namespace graphnet::measure {
namespace {

TEST(Judge, FollowsTheRule) {
  const struct {
    DisturbanceCounters after;
    Disturbance mark;
    double waited_ns;
  } cases[] = {
      {{0, 0, 0}, kUndisturbed, 0},
      {{500, 0, 3}, kUndisturbed, 500},
      {{5, 0, 0}, kUndisturbed, 5},
      {{5, 900, 0}, kUndisturbed, 0},
      {{500, 900, 3}, kPreempted, 0},
      {{1000, 0, 1}, kPreempted, 0},
      {{std::nullopt, 0, 0}, kUndisturbed, 0},
      {{std::nullopt, 0, 1}, kPreempted, 0},
  };
  for (const auto& wanted : cases) {
    const Judgement judgement = judge({0, 0, 0}, wanted.after, 1000, 0.01);
    EXPECT_EQ(judgement.mark, wanted.mark);
    EXPECT_EQ(judgement.waited_ns, wanted.waited_ns);
  }
}

TEST(DisturbanceMeter, CountsOtherThreadsOfTheProcess) {
  const DisturbanceMeter meter;
  const DisturbanceCounters before = meter.read();
  std::thread([] {
    const std::int64_t end_ns = monotonic_raw_ns() + 5'000'000;
    while (monotonic_raw_ns() < end_ns) {
    }
  }).join();
  const DisturbanceCounters after = meter.read();
  EXPECT_GT(after.others_ran_ns - before.others_ran_ns, 100'000);
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

TEST(ThreadState, IsTheLetterBehindTheName) {
  EXPECT_EQ(thread_state_in("12 (a) b) R 1 2"), 'R');
  EXPECT_EQ(thread_state_in("12 (x) S 1"), 'S');
  EXPECT_EQ(thread_state_in("12 (x) "), '\0');
  EXPECT_EQ(thread_state_in(""), '\0');
}

TEST(WaitUntilIdle, SeesAThreadThatRunsAndOneThatSleeps) {
  EXPECT_TRUE(wait_until_idle(1'000'000'000)) << "no other thread";
  std::atomic<bool> stop = false;
  std::thread busy([&] {
    while (!stop) {
    }
  });
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
  EXPECT_FALSE(tools.wait_idle);
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

}  // namespace
}  // namespace graphnet::measure
