// SPDX-License-Identifier: MIT
#include "measure/family_clock.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>
#include <thread>

#include "measure/clock.h"
#include "measure/cycle_clock.h"

namespace graphnet::measure {
namespace family_clock_test {

constexpr std::int64_t kWorkNs = 20'000'000;

/// Uses so much processor time.
void work() {
  const std::int64_t begin_ns = clock_ns_by_syscall(CLOCK_THREAD_CPUTIME_ID);
  while (clock_ns_by_syscall(CLOCK_THREAD_CPUTIME_ID) - begin_ns < kWorkNs) {
  }
}

// The parent's own count knows nothing of a child that nobody waited for.
TEST(FamilyClock, CountsChildrenThatAreNeverReaped) {
  const auto clock = FamilyClock::open({});
  if (!clock) GTEST_SKIP() << "the kernel or a sandbox refuses";
  const std::int64_t before_ns = *clock->ran_ns();
  const auto old_handler = ::signal(SIGCHLD, SIG_IGN);
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  while (::kill(child, 0) == 0) ::usleep(1000);
  ::signal(SIGCHLD, old_handler);
  EXPECT_GE(*clock->ran_ns() - before_ns, kWorkNs);
}

TEST(FamilyClock, CountsThreadsAndTellsOtherCores) {
  cpu_set_t mask;
  ::sched_getaffinity(0, sizeof mask, &mask);
  if (CPU_COUNT(&mask) < 2) GTEST_SKIP() << "one core only";
  const int here = ::sched_getcpu();
  int other = 0;
  while (other == here || !CPU_ISSET(other, &mask)) ++other;
  const auto clock = FamilyClock::open({other});
  if (!clock) GTEST_SKIP() << "the kernel or a sandbox refuses";
  const auto run_on = [&](int core) {
    std::thread([&] {
      cpu_set_t only;
      CPU_ZERO(&only);
      CPU_SET(core, &only);
      ::sched_setaffinity(0, sizeof only, &only);
      work();
    }).join();
  };
  const std::int64_t before_ns = *clock->ran_ns();
  const std::int64_t elsewhere_ns = clock->ran_elsewhere_ns();
  run_on(other);
  EXPECT_GE(*clock->ran_ns() - before_ns, kWorkNs);
  EXPECT_GE(clock->ran_elsewhere_ns() - elsewhere_ns, kWorkNs - 1'000'000);
}

/// Binds the calling thread, and what it starts, to the core where it is.
int bind_here() {
  const int core = ::sched_getcpu();
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core, &one);
  EXPECT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
  return core;
}

// In a process of its own, which stays bound.
TEST(CountOthers, LeavesOutWhatTheFamilyRan) {
  const int core = bind_here();
  const pid_t stranger = ::fork();  // before the clock, which counts what starts behind it
  if (stranger == 0) {
    while (true) work();
  }
  const auto clock = FamilyClock::open({});
  Instruments nowhere;
  Instruments instruments;
  std::optional<double> others;
  double own = 0;
  if (clock) {
    count_others(nowhere, *clock, {});
    count_others(instruments, *clock, {core});
    EXPECT_FALSE(instruments.others_share()) << "the first reading only begins";
    const std::int64_t begin_ns = monotonic_raw_ns();
    const std::int64_t ran_ns = *clock->ran_ns();
    for (int i = 0; i < 10; ++i) work();
    own = static_cast<double>(*clock->ran_ns() - ran_ns) /
          static_cast<double>(monotonic_raw_ns() - begin_ns);
    others = instruments.others_share();
  }
  ::kill(stranger, SIGKILL);
  ::waitpid(stranger, nullptr, 0);
  if (!clock) GTEST_SKIP() << "the kernel or a sandbox refuses";
  EXPECT_FALSE(nowhere.others_share);
  ASSERT_TRUE(others);
  EXPECT_GT(*others, 0.2);
  EXPECT_LT(own + *others, 1.15) << "a tick of thirty may be counted too many";
}

TEST(FamilyClock, DecidesWhereItIsThere) {
  DisturbanceCounters before = {0, 100, 0, 1000, 5000, 0, 10};
  DisturbanceCounters after = {0, 300, 0, 2000, 9000, 900, 1000};
  const RanBetween between = ran_between(before, after);
  EXPECT_EQ(between.ran_ns, 4000);
  EXPECT_EQ(between.others_ns, 200 + 3000);
  EXPECT_EQ(between.span_ns, 1000);
  after.inherited_ns = 5900;
  EXPECT_EQ(ran_between(before, after).ran_ns, 900);
  after.inherited_ns.reset();
  EXPECT_EQ(ran_between(before, after).ran_ns, 1000);
}

}  // namespace family_clock_test
}  // namespace graphnet::measure
