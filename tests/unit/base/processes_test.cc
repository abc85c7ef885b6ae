// SPDX-License-Identifier: MIT
#include "base/processes.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace graphnet::base {
namespace {

TEST(ProcessState, IsTheLetterBehindTheName) {
  EXPECT_EQ(process_state_in("12 (a) b) R 1 2"), 'R');
  EXPECT_EQ(process_state_in("12 (x) S 1"), 'S');
  EXPECT_EQ(process_state_in("12 (x) "), '\0');
  EXPECT_EQ(process_state_in(""), '\0');
  EXPECT_EQ(process_state(::getpid()), 'R');
}

TEST(Children, AreListedUntilTheyAreReaped) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
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

}  // namespace
}  // namespace graphnet::base
