// SPDX-License-Identifier: MIT
#include "base/subprocess.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

#include "support/refused_call.h"

namespace graphnet::base {
namespace subprocess_test {

Subprocess::Options shell(const std::string& script) {
  Subprocess::Options options;
  options.arguments = {"/bin/sh", "-c", script};
  return options;
}

struct Pipe {
  UniqueFd reader;
  UniqueFd writer;
  Pipe() {
    std::array<int, 2> ends = {-1, -1};
    EXPECT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
    reader.reset(ends[0]);
    writer.reset(ends[1]);
  }
  std::string read_all() {
    writer.reset();
    std::string text;
    std::array<char, 256> chunk = {};
    ssize_t got = 0;
    while ((got = ::read(reader.get(), chunk.data(), chunk.size())) > 0) {
      text.append(chunk.data(), static_cast<std::size_t>(got));
    }
    return text;
  }
};

TEST(Subprocess, StandardErrorMayGoElsewhere) {
  Pipe output;
  Pipe error;
  Subprocess::Options options = shell("echo out; echo wrong >&2");
  options.output_fd = output.writer.get();
  options.error_fd = error.writer.get();
  auto child = Subprocess::start(options);
  ASSERT_TRUE(child.is_ok()) << child.status().to_string();
  child->wait();
  EXPECT_EQ(output.read_all(), "out\n");
  EXPECT_EQ(error.read_all(), "wrong\n");
}

TEST(Subprocess, ReportsTheExitCode) {
  auto child = Subprocess::start(shell("exit 3"));
  ASSERT_TRUE(child.is_ok());
  const ExitState state = child->wait();
  EXPECT_EQ(state.exit_code, 3);
  EXPECT_EQ(state.signal, std::nullopt);
  EXPECT_EQ(state.to_string(), "exit code 3");
  EXPECT_EQ(child->wait().exit_code, 3) << "waiting again is allowed";
}

TEST(Subprocess, ReportsTheSignal) {
  auto child = Subprocess::start(shell("kill -SEGV $$"));
  ASSERT_TRUE(child.is_ok());
  const ExitState state = child->wait();
  EXPECT_EQ(state.signal, SIGSEGV);
  EXPECT_EQ(state.to_string(), "SIGSEGV (Segmentation fault)");
}

TEST(Subprocess, MissingFileIsAnEnvironmentError) {
  Subprocess::Options options;
  options.arguments = {"/no/such/program"};
  const auto child = Subprocess::start(options);
  ASSERT_FALSE(child.is_ok());
  EXPECT_EQ(child.status().code(), Code::kEnvironment);
  EXPECT_NE(child.status().message().find("/no/such/program"), std::string::npos);
}

TEST(Subprocess, OutputAndEnvironmentReachTheChild) {
  ::setenv("GN_TEST_OLD", "parent", 1);
  Pipe pipe;
  auto options = shell("echo $GN_TEST_OLD $GN_TEST_NEW; echo err >&2; cat");
  options.environment = {"GN_TEST_OLD=child", "GN_TEST_NEW=new"};
  options.output_fd = pipe.writer.get();
  auto child = Subprocess::start(options);
  ASSERT_TRUE(child.is_ok());
  EXPECT_EQ(pipe.read_all(), "child new\nerr\n");
  EXPECT_EQ(child->wait().exit_code, 0);
}

TEST(Subprocess, ControlChannelIsDescriptorThree) {
  std::array<int, 2> ends = {-1, -1};
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
  UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  auto options = shell("read line <&3; echo got $line >&3");
  options.control_fd = theirs.get();
  auto child = Subprocess::start(options);
  theirs.reset();
  ASSERT_TRUE(child.is_ok());
  ASSERT_TRUE(write_all(ours.get(), "task\n").is_ok());
  std::array<char, 64> reply = {};
  const ssize_t got = ::read(ours.get(), reply.data(), reply.size());
  EXPECT_EQ(std::string(reply.data(), got > 0 ? static_cast<std::size_t>(got) : 0), "got task\n");
  EXPECT_EQ(child->wait().exit_code, 0);
}

TEST(Subprocess, ControlChannelMayAlreadyBeDescriptorThree) {
  // dup2(3, 3) alone would leave close-on-exec set.
  UniqueFd saved(::fcntl(3, F_DUPFD_CLOEXEC, 10));
  std::array<int, 2> ends = {-1, -1};
  ASSERT_EQ(::pipe2(ends.data(), O_CLOEXEC), 0);
  UniqueFd reader(::fcntl(ends[0], F_DUPFD_CLOEXEC, 10));
  UniqueFd writer(::fcntl(ends[1], F_DUPFD_CLOEXEC, 10));
  ::close(ends[0]);
  ::close(ends[1]);
  ASSERT_EQ(::dup3(writer.get(), 3, O_CLOEXEC), 3);
  writer.reset();
  auto options = shell("echo hello >&3");
  options.control_fd = 3;
  auto child = Subprocess::start(options);
  ASSERT_TRUE(child.is_ok());
  EXPECT_EQ(child->wait().exit_code, 0);
  ::close(3);
  if (saved.is_open()) ::dup3(saved.get(), 3, O_CLOEXEC);
  std::array<char, 16> text = {};
  EXPECT_EQ(::read(reader.get(), text.data(), text.size()), 6);
}

TEST(Subprocess, PidfdBecomesReadableAtTheEnd) {
  auto child = Subprocess::start(shell("exit 0"));
  ASSERT_TRUE(child.is_ok());
  pollfd end = {child->wait_fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 10'000), 1);
  EXPECT_EQ(child->wait().exit_code, 0);
}

/// On a kernel without pidfd_open: waits for the end through the descriptor, kills, and lets go.
void check_without_pidfd(int refusal) {
  ASSERT_TRUE(tests::refuse_call(SYS_pidfd_open, refusal));
  ASSERT_EQ(::syscall(SYS_pidfd_open, ::getpid(), 0), -1);
  auto started = Subprocess::start(shell("exit 3"));
  ASSERT_TRUE(started.is_ok()) << started.status().to_string();
  Subprocess child = std::move(started).value();
  pollfd end = {child.wait_fd(), POLLIN, 0};
  EXPECT_EQ(::poll(&end, 1, 10'000), 1);
  EXPECT_EQ(child.wait().exit_code, 3);
  auto sleeper = Subprocess::start(shell("sleep 1000"));
  ASSERT_TRUE(sleeper.is_ok());
  end.fd = sleeper->wait_fd();
  EXPECT_EQ(::poll(&end, 1, 0), 0) << "it runs";
  sleeper->signal_group(SIGKILL);
  EXPECT_EQ(::poll(&end, 1, 10'000), 1);
  EXPECT_EQ(sleeper->wait().signal, SIGKILL);
  { auto killed = Subprocess::start(shell("sleep 1000")); }
}

TEST(Subprocess, NeedsNoPidfd) {
  for (const int refusal : {ENOSYS, EPERM}) {
    EXPECT_EXIT(
        {
          check_without_pidfd(refusal);
          ::_exit(testing::Test::HasFailure() ? 1 : 0);
        },
        testing::ExitedWithCode(0), "");
  }
}

TEST(Subprocess, DestructionKillsTheWholeGroup) {
  Pipe pipe;
  {
    auto options = shell("sleep 1000 & sleep 1000");
    options.output_fd = pipe.writer.get();
    auto child = Subprocess::start(options);
    ASSERT_TRUE(child.is_ok());
  }
  EXPECT_EQ(pipe.read_all(), "") << "end of file comes only if nobody holds the pipe";
}

TEST(Subprocess, WaitKillsWhatTheLeaderLeftBehind) {
  Pipe pipe;
  auto options = shell("sleep 1000 & exit 0");
  options.output_fd = pipe.writer.get();
  auto child = Subprocess::start(options);
  ASSERT_TRUE(child.is_ok());
  EXPECT_EQ(child->wait().exit_code, 0);
  EXPECT_EQ(pipe.read_all(), "");
}

}  // namespace subprocess_test
}  // namespace graphnet::base
