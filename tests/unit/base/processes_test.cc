// SPDX-License-Identifier: MIT
#include "base/processes.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <thread>
#include <vector>

namespace graphnet::base {
namespace processes_test {

TEST(ProcessState, IsTheLetterBehindTheName) {
  EXPECT_EQ(process_state_in("12 (a) b) R 1 2"), 'R');
  EXPECT_EQ(process_state_in("12 (x) S 1"), 'S');
  EXPECT_EQ(process_state_in("12 (x) "), '\0');
  EXPECT_EQ(process_state_in(""), '\0');
  EXPECT_EQ(process_state(::getpid()), 'R');
}

// Without the wait one attempt in ten sees a thread that has just been joined.
TEST(Threads, JoinedOnesAreNotCounted) {
#if defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "the sanitizer has a thread of its own from the first one on";
#endif
  if (num_threads() != 1) GTEST_SKIP() << "the test's own process has threads";
  for (int i = 0; i < 200; ++i) {
    std::vector<std::thread> threads;
    for (int j = 0; j < 4; ++j) threads.emplace_back([] {});
    for (std::thread& thread : threads) thread.join();
    ASSERT_TRUE(is_single_threaded());
  }
  std::promise<void> end;
  std::thread waits([&] { end.get_future().wait(); });
  EXPECT_FALSE(is_single_threaded());
  end.set_value();
  waits.join();
}

TEST(Children, AreListedUntilTheyAreReaped) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  ASSERT_GT(child, 0);
  const auto is_listed = [&] {
    const auto children = children_of(::getpid());
    return std::find(children.begin(), children.end(), child) != children.end();
  };
  EXPECT_TRUE(is_listed());
  EXPECT_FALSE(is_marked_otherwise(child, "GRAPHNET_NO_SUCH_MARK=1"));
  ::kill(child, SIGKILL);
  siginfo_t info = {};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &info, WEXITED | WNOWAIT), 0);
  EXPECT_EQ(process_state(child), 'Z');
  EXPECT_TRUE(is_listed());
  ::waitpid(child, nullptr, 0);
  EXPECT_FALSE(is_listed());
  EXPECT_TRUE(children_of(child).empty());
  EXPECT_EQ(process_state(child), '\0');
}

}  // namespace processes_test
}  // namespace graphnet::base
