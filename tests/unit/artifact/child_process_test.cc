// SPDX-License-Identifier: MIT
#include "artifact/child_process.h"

#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>

#include "artifact/temporary_folder.h"
#include "graphnet/failure.h"

namespace graphnet::artifact {
namespace child_process_test {

/// Runs a line of shell.
ChildEnd shell(const std::string& line, const TemporaryFolder& folder,
               const std::function<bool()>& cancelled = nullptr) {
  return run_child({{"sh", "-c", line}, {}, folder.file("messages")}, cancelled);
}

TEST(ChildProcess, TellsHowTheProgramEnded) {
  const TemporaryFolder folder("test");
  EXPECT_TRUE(shell("echo said; echo told >&2", folder).is_success());
  EXPECT_EQ(read_bytes(folder.file("messages")), "said\ntold\n");
  EXPECT_EQ(shell("exit 7", folder).exit_code, 7);
  EXPECT_EQ(shell("kill -SEGV $$", folder).signal, SIGSEGV);
  EXPECT_FALSE(shell("kill -SEGV $$", folder).is_success());
}

TEST(ChildProcess, GivesOnlyTheEnvironmentThatIsNamed) {
  const TemporaryFolder folder("test");
  const ChildProgram program = {
      {"/bin/sh", "-c", "echo $GN_GIVEN-$HOME"}, {"GN_GIVEN=x"}, folder.file("messages")};
  EXPECT_TRUE(run_child(program).is_success());
  EXPECT_EQ(read_bytes(folder.file("messages")), "x-\n");
}

TEST(ChildProcess, KillsAllThatTheProgramStartedIfItIsCancelled) {
  const TemporaryFolder folder("test");
  const std::string started = folder.file("started");
  int looks = 0;
  const ChildEnd end = shell(
      "sleep 1000 & echo $! > " + started + ".new; mv " + started + ".new " + started + "; wait",
      folder, [&] { return std::filesystem::exists(started) && ++looks > 1; });
  EXPECT_TRUE(end.is_cancelled);
  EXPECT_EQ(end.signal, SIGKILL);
  // A zombie until whoever adopts it has reaped it.
  const pid_t sleeper = std::stoi(read_bytes(started));
  const auto is_alive = [sleeper] {
    const std::string state = read_bytes("/proc/" + std::to_string(sleeper) + "/stat");
    return !state.empty() && state.find(" Z ") == std::string::npos &&
           state.find(" X ") == std::string::npos;
  };
  for (int look = 0; look < 500 && is_alive(); ++look) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_FALSE(is_alive());
}

TEST(ChildProcess, ExplainsAProgramThatIsNotThere) {
  const TemporaryFolder folder("test");
  try {
    run_child({{"/no/such/program"}, {}, folder.file("messages")});
    FAIL();
  } catch (const Failure& failure) {
    EXPECT_EQ(failure.code(), GN_STATUS_UNAVAILABLE + 0U);
    EXPECT_STREQ(failure.what(), "'/no/such/program' cannot be started: No such file or directory");
  }
}

TEST(TemporaryFolder, IsGoneWithAllThatIsInIt) {
  std::filesystem::path path;
  {
    const TemporaryFolder folder("test");
    path = folder.path();
    write_bytes(folder.file("x"), "y");
    EXPECT_EQ(read_bytes(folder.file("x")), "y");
    EXPECT_THROW(write_bytes(folder.file("no/such"), "y"), Failure);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

}  // namespace child_process_test
}  // namespace graphnet::artifact
