// SPDX-License-Identifier: MIT
#include "base/threads.h"

#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <thread>

namespace graphnet::base {
namespace threads_test {

TEST(Threads, OneThatSpinsRunsAndUsesProcessorTime) {
  std::atomic<bool> is_over = false;
  std::atomic<pid_t> id = 0;
  std::thread spinning([&] {
    id = static_cast<pid_t>(::syscall(SYS_gettid));
    while (!is_over) {
    }
  });
  while (id == 0) std::this_thread::yield();
  while (thread_ran_ns(id) == 0) std::this_thread::yield();
  EXPECT_TRUE(other_threads_run());
  is_over = true;
  spinning.join();
  // The kernel lists a thread for a moment after it was joined.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  while (thread_ran_ns(id) != 0 && std::chrono::steady_clock::now() < end) {
    std::this_thread::yield();
  }
  EXPECT_EQ(thread_ran_ns(id), 0);
}

}  // namespace threads_test
}  // namespace graphnet::base
