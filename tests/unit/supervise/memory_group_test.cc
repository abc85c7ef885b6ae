// SPDX-License-Identifier: MIT
#include "supervise/memory_group.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

#include "supervise/oom_watch.h"
#include "support/run_program.h"
#include "support/temp_dir.h"

namespace graphnet::supervise {
namespace memory_group_test {

namespace fs = std::filesystem;
using tests::read_text;

/// A pretend /proc and /sys, with files where the kernel would have them.
class MemoryGroupTest : public ::testing::Test {
 protected:
  fs::path groups() const { return root_.path() / "sys/fs/cgroup"; }

  void write_unified(const std::string& group, const std::string& controllers,
                     const std::string& given) {
    const std::string folder = "sys/fs/cgroup" + group;
    root_.write(folder + "/cgroup.controllers", controllers + "\n");
    root_.write(folder + "/cgroup.subtree_control", given);
  }

  std::unique_ptr<MemoryGroup> make() {
    auto group = MemoryGroup::make(3, root_.path());
    EXPECT_TRUE(group.is_ok()) << group.status().to_string();
    return group.is_ok() ? std::move(group).value() : nullptr;
  }

  static std::string own_name() { return "graphnet-" + std::to_string(::getpid()) + "-3"; }

  tests::TempDir root_;
};

TEST_F(MemoryGroupTest, LiesInTheOwnGroupIfThatMayGiveMemory) {
  root_.write("proc/self/cgroup", "0::/a/b\n");
  write_unified("/a", "cpu memory", "memory\n");
  write_unified("/a/b", "cpu memory pids", "cpu\n");
  const auto group = make();
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->version(), 2);
  EXPECT_EQ(group->folder(), groups() / "a/b" / own_name());
  EXPECT_EQ(read_text(groups() / "a/b/cgroup.subtree_control"), "+memory");
  ASSERT_TRUE(group->set_limit(1 << 20).is_ok());
  EXPECT_EQ(read_text(group->folder() / "memory.max"), "1048576");
  EXPECT_EQ(read_text(group->folder() / "memory.swap.max"), "0");
  ASSERT_TRUE(group->set_limit(std::nullopt).is_ok());
  EXPECT_EQ(read_text(group->folder() / "memory.max"), "max");
  EXPECT_EQ(read_text(group->folder() / "memory.swap.max"), "max");
  ASSERT_TRUE(group->take(4711).is_ok());
  EXPECT_EQ(read_text(group->folder() / "cgroup.procs"), "4711");
}

TEST_F(MemoryGroupTest, LiesBesideTheOwnGroupIfThatHasProcesses) {
  root_.write("proc/self/cgroup", "0::/a/b\n");
  write_unified("/a", "memory", "memory\n");
  write_unified("/a/b", "memory", "");
  // What the kernel answers with EBUSY.
  fs::remove(groups() / "a/b/cgroup.subtree_control");
  fs::create_directory(groups() / "a/b/cgroup.subtree_control");
  const auto group = make();
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->folder(), groups() / "a" / own_name());
}

TEST_F(MemoryGroupTest, NeverAsksTheGroupAroundForMemory) {
  root_.write("proc/self/cgroup", "0::/a/b\n");
  write_unified("/a", "memory", "cpu\n");
  write_unified("/a/b", "cpu", "");
  const auto group = MemoryGroup::make(3, root_.path());
  ASSERT_FALSE(group.is_ok());
  EXPECT_EQ(group.status().context().size(), 2U) << group.status().to_string();
  EXPECT_EQ(read_text(groups() / "a/cgroup.subtree_control"), "cpu\n");
}

TEST_F(MemoryGroupTest, FallsBackToVersionOne) {
  root_.write("proc/self/cgroup", "4:cpu,memory:/x\n0::/\n");
  root_.write("sys/fs/cgroup/unified/cgroup.controllers", "hugetlb\n");
  root_.write("sys/fs/cgroup/memory/x/cgroup.procs", "");
  const auto group = make();
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->version(), 1);
  EXPECT_EQ(group->folder(), groups() / "memory/x" / own_name());
  ASSERT_TRUE(group->set_limit(4096).is_ok());
  EXPECT_EQ(read_text(group->folder() / "memory.limit_in_bytes"), "4096");
  EXPECT_EQ(read_text(group->folder() / "memory.memsw.limit_in_bytes"), "4096");
}

TEST_F(MemoryGroupTest, VersionOneTellsByItsPeakWhetherTheLimitWasReached) {
  root_.write("proc/self/cgroup", "4:memory:/\n");
  root_.write("sys/fs/cgroup/memory/cgroup.procs", "");
  const auto group = make();
  ASSERT_NE(group, nullptr);
  const auto write_peak = [&](std::int64_t bytes) {
    root_.write("sys/fs/cgroup/memory/" + own_name() + "/memory.max_usage_in_bytes",
                std::to_string(bytes));
  };
  ASSERT_TRUE(group->set_limit(64 << 20).is_ok());
  EXPECT_EQ(read_text(group->folder() / "memory.max_usage_in_bytes"), "0")
      << "it is told to forget";
  const OomWatch watch(group.get(), root_.path());
  root_.write("sys/fs/cgroup/memory/" + own_name() + "/memory.oom_control",
              "oom_kill_disable 0\noom_kill 1\n");
  write_peak(20 << 20);
  EXPECT_EQ(watch.kill(), OomKill::kOutside);
  write_peak((64 << 20) - 4096);
  EXPECT_EQ(watch.kill(), OomKill::kAtLimit);
}

TEST_F(MemoryGroupTest, AContainerMaySeeItsGroupAsTheRoot) {
  root_.write("proc/self/cgroup", "4:memory:/docker/0123\n");
  root_.write("sys/fs/cgroup/memory/cgroup.procs", "");
  const auto group = make();
  ASSERT_NE(group, nullptr);
  EXPECT_EQ(group->folder(), groups() / "memory" / own_name());
}

TEST_F(MemoryGroupTest, WithoutControlGroupsThereIsAReason) {
  const auto group = MemoryGroup::make(3, root_.path());
  ASSERT_FALSE(group.is_ok());
  EXPECT_EQ(group.status().code(), base::Code::kEnvironment);
}

TEST_F(MemoryGroupTest, WhatAKilledProgramLeftIsRemoved) {
  root_.write("proc/self/cgroup", "4:memory:/\n");
  const fs::path memory = groups() / "memory";
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  ::waitpid(gone, nullptr, 0);
  const fs::path left = memory / ("graphnet-" + std::to_string(gone) + "-0");
  const fs::path used = memory / ("graphnet-" + std::to_string(::getppid()) + "-0");
  for (const fs::path& folder : {left, used, memory / "graphnet-x", memory / "other"}) {
    fs::create_directories(folder);
  }
  ASSERT_NE(make(), nullptr);
  EXPECT_FALSE(fs::exists(left));
  EXPECT_TRUE(fs::exists(used));
  EXPECT_TRUE(fs::exists(memory / "graphnet-x"));
  EXPECT_TRUE(fs::exists(memory / "other"));
}

TEST_F(MemoryGroupTest, KillsAreToldByWhoseMemoryWasUsedUp) {
  root_.write("proc/self/cgroup", "0::/\n");
  write_unified("", "memory", "memory");
  root_.write("proc/vmstat", "oom_kill 7\n");
  const auto group = make();
  ASSERT_NE(group, nullptr);
  const auto events = [&](const std::string& text) {
    root_.write("sys/fs/cgroup/" + own_name() + "/memory.events", text);
  };
  events("max 9\noom 1\noom_kill 1\n");
  const OomWatch watch(group.get(), root_.path());
  const OomWatch of_no_group(nullptr, root_.path());
  EXPECT_EQ(watch.kill(), OomKill::kNone);
  events("max 9\noom 1\noom_kill 2\n");
  EXPECT_EQ(watch.kill(), OomKill::kOutside);
  events("max 12\noom 2\noom_kill 2\n");
  EXPECT_EQ(watch.kill(), OomKill::kAtLimit);
  events("max 9\noom 1\noom_kill 1\n");
  root_.write("proc/vmstat", "oom_kill 8\n");
  EXPECT_EQ(watch.kill(), OomKill::kOutside);
  EXPECT_EQ(of_no_group.kill(), OomKill::kOutside);
  root_.write("proc/vmstat", "nr_free_pages 1\n");
  EXPECT_EQ(of_no_group.kill(), OomKill::kUnknown);
}

/// Ends by the kernel's hand, or with 0 if it gets all of it.
[[noreturn]] void take_memory(std::size_t num_bytes) {
  void* memory =
      ::mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) ::_exit(1);
  for (std::size_t i = 0; i < num_bytes; i += 4096) static_cast<volatile char*>(memory)[i] = 1;
  ::_exit(0);
}

TEST(MemoryGroupHere, EndsAProcessThatTakesMore) {
  auto made = MemoryGroup::make(99);
  if (!made.is_ok()) GTEST_SKIP() << made.status().to_string();
  std::unique_ptr<MemoryGroup> group = std::move(made).value();
  ASSERT_TRUE(group->set_limit(64 << 20).is_ok());
  const OomWatch watch(group.get(), "/");
  for (const std::size_t mebibytes : {std::size_t{16}, std::size_t{256}}) {
    std::array<int, 2> gate = {-1, -1};
    ASSERT_EQ(::pipe(gate.data()), 0);
    const pid_t child = ::fork();
    if (child == 0) {
      char byte = 0;
      if (::read(gate[0], &byte, 1) != 1) ::_exit(2);
      take_memory(mebibytes << 20U);
    }
    const base::Status taken = group->take(child);
    EXPECT_TRUE(taken.is_ok()) << taken.to_string();
    EXPECT_EQ(::write(gate[1], "x", 1), 1);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    for (const int fd : gate) ::close(fd);
    const bool fits = mebibytes < 64;
    EXPECT_EQ(WIFSIGNALED(status), !fits) << status;
    EXPECT_EQ(group->events().oom_kills, fits ? 0 : 1);
  }
  EXPECT_EQ(watch.kill(), OomKill::kAtLimit);
  const fs::path folder = group->folder();
  group.reset();
  EXPECT_FALSE(fs::exists(folder));
}

}  // namespace memory_group_test
}  // namespace graphnet::supervise
