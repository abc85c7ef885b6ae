// SPDX-License-Identifier: MIT
#include "measure/fork_log.h"

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <thread>
#include <utility>

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
  log.clear();
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
  log->clear();
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
  auto log = ForkLog::open();
  if (!log) GTEST_SKIP() << "the kernel or a sandbox refuses";
  for (int round = 0; round < 5; ++round) {
    log->clear();
    for (int i = 0; i < 37; ++i) run_child();
    EXPECT_EQ(log->read().size(), 37U) << "round " << round;
  }
  for (int i = 0; i < 300; ++i) run_child();
  EXPECT_GT(log->read().size(), 37U);
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
