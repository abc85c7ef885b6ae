// SPDX-License-Identifier: MIT
#include "measure/fork_log.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>
#include <vector>

#include "base/processes.h"
#include "support/one_core.h"

namespace graphnet::measure {
namespace fork_log_test {

pid_t run_child() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST(ForkLog, HasProcessesThatEndAtOnce) {
  auto opened = ForkLog::open();
  if (!opened) GTEST_SKIP() << "the kernel or a sandbox refuses";
  ForkLog log = std::move(*opened);
  run_child();
  log.forget();
  EXPECT_TRUE(log.read().empty()) << "what was started before is forgotten";
  const pid_t child = run_child();
  EXPECT_EQ(log.read(), std::vector<pid_t>{child});
}

TEST(ForkLog, HasWhatThreadsAndChildrenStartButNoThreads) {
  auto log = ForkLog::open();
  if (!log) GTEST_SKIP() << "the kernel or a sandbox refuses";
  std::thread([] {}).join();
  EXPECT_TRUE(log->read().empty()) << "a thread is no process";
  pid_t of_thread = 0;
  std::thread([&] { of_thread = run_child(); }).join();
  EXPECT_EQ(log->read(), std::vector<pid_t>{of_thread});
  log->forget();
  const pid_t child = ::fork();
  if (child == 0) {
    run_child();
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  const std::vector<pid_t> started = log->read();
  EXPECT_EQ(started.size(), 2U);
  EXPECT_NE(std::find(started.begin(), started.end(), child), started.end());
}

// A full buffer keeps what came first, and goes round behind a reading.
TEST(ForkLog, GoesRound) {
  const tests::OneCore here;  // of each core's buffer a loss is told with that core's next record
  auto log = ForkLog::open();
  if (!log) GTEST_SKIP() << "the kernel or a sandbox refuses";
  for (int round = 0; round < 5; ++round) {
    log->forget();
    for (int i = 0; i < 37; ++i) run_child();
    EXPECT_EQ(log->read().size(), 37U) << "round " << round;
  }
  EXPECT_FALSE(log->has_lost());
  for (int i = 0; i < 600; ++i) run_child();
  EXPECT_GT(log->read().size(), 37U);
  run_child();  // the record of a loss comes with the next one
  log->read();
  EXPECT_TRUE(log->has_lost());
  log->forget();
  EXPECT_FALSE(log->has_lost());
}

// One whose first thread has ended looks like one that has.
TEST(ForkLog, DoesNotForgetWhatLives) {
  auto log = ForkLog::open();
  if (!log) GTEST_SKIP() << "the kernel or a sandbox refuses";
  const pid_t child = ::fork();
  if (child == 0) {
    std::thread([] {
      ::usleep(30'000'000);
      ::_exit(0);
    }).detach();
    ::syscall(SYS_exit, 0);
  }
  while (base::process_state(child) != 'Z') ::usleep(100);
  EXPECT_FALSE(base::has_ended(child));
  log->forget();
  EXPECT_EQ(log->read(), std::vector<pid_t>{child});
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  EXPECT_TRUE(base::has_ended(child));
  log->forget();
  EXPECT_TRUE(log->read().empty());
}

// A plugin may stop events of its own thread.
TEST(ForkLog, CannotBeStopped) {
  auto log = ForkLog::open();
  if (!log) GTEST_SKIP() << "the kernel or a sandbox refuses";
  ::prctl(PR_TASK_PERF_EVENTS_DISABLE);
  const pid_t child = run_child();
  ::prctl(PR_TASK_PERF_EVENTS_ENABLE);
  EXPECT_EQ(log->read(), std::vector<pid_t>{child});
}

}  // namespace fork_log_test
}  // namespace graphnet::measure
