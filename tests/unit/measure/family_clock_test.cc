// SPDX-License-Identifier: MIT
#include "measure/family_clock.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "measure/cycle_clock.h"

namespace graphnet::measure {
namespace family_clock_test {

constexpr std::int64_t kWorkNs = 20'000'000;
// The kernel's two counts differ by some microseconds.
constexpr std::int64_t kCountedNs = kWorkNs - 1'000'000;

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
  EXPECT_GE(*clock->ran_ns() - before_ns, kCountedNs);
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
  EXPECT_GE(*clock->ran_ns() - before_ns, kCountedNs);
  EXPECT_GE(clock->ran_elsewhere_ns() - elsewhere_ns, kCountedNs);
}

// A plugin may stop events of its own thread.
TEST(FamilyClock, CannotBeStopped) {
  const auto clock = FamilyClock::open({});
  if (!clock) GTEST_SKIP() << "the kernel or a sandbox refuses";
  const std::int64_t before_ns = *clock->ran_ns();
  ::prctl(PR_TASK_PERF_EVENTS_DISABLE);
  work();
  ::prctl(PR_TASK_PERF_EVENTS_ENABLE);
  EXPECT_GE(*clock->ran_ns() - before_ns, kCountedNs);
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
