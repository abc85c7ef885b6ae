// SPDX-License-Identifier: MIT
#include "base/memory.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <memory>

#include "support/temp_dir.h"

namespace graphnet::base {
namespace memory_test {

/// Page faults of the last of ten rounds that take, use and give back three buffers of 16 MiB.
long faults_of_a_round() {
  constexpr std::size_t kNumBytes = std::size_t{16} << 20U;
  struct rusage before = {};
  struct rusage after = {};
  for (int i = 0; i < 10; ++i) {
    ::getrusage(RUSAGE_SELF, &before);
    std::array<std::unique_ptr<char[]>, 3> buffers;
    for (auto& buffer : buffers) {
      buffer.reset(new char[kNumBytes]);
      std::memset(buffer.get(), i, kNumBytes);
    }
    buffers = {};
    ::getrusage(RUSAGE_SELF, &after);
  }
  return after.ru_minflt - before.ru_minflt;
}

/// In a process of its own, whose exit status says whether there were more than a thousand.
bool has_many_faults(bool keep) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (keep && !keep_freed_memory()) ::_exit(2);
    ::_exit(faults_of_a_round() > 1000 ? 1 : 0);
  }
  int state = 0;
  EXPECT_EQ(::waitpid(child, &state, 0), child);
  EXPECT_TRUE(WIFEXITED(state) && WEXITSTATUS(state) < 2) << state;
  return WEXITSTATUS(state) == 1;
}

TEST(Memory, WhatIsFreedIsKept) {
  if (!can_limit_data()) GTEST_SKIP() << "the sanitizer's allocator";
  EXPECT_TRUE(has_many_faults(/*keep=*/false)) << "the test's own: nothing is returned anyway";
  EXPECT_FALSE(has_many_faults(/*keep=*/true));
}

TEST(Memory, TakesTheSmallestOfMachineAndGroups) {
  const tests::TempDir root;
  root.write("proc/meminfo", "MemTotal: 9000 kB\nMemAvailable: 8000 kB\n");
  EXPECT_EQ(available_memory_bytes(root.path()), 8000 * 1024);
  root.write("proc/self/cgroup", "0::/a/b\n");
  root.write("sys/fs/cgroup/a/memory.max", "4000000\n");
  root.write("sys/fs/cgroup/a/memory.current", "1000000\n");
  root.write("sys/fs/cgroup/a/memory.stat", "anon 1\ninactive_file 400000\n");
  root.write("sys/fs/cgroup/a/b/memory.max", "max\n");
  EXPECT_EQ(available_memory_bytes(root.path()), 3400000);
  root.write("proc/self/cgroup", "4:cpu,memory:/x\n");
  root.write("sys/fs/cgroup/memory/x/memory.limit_in_bytes", "2000000\n");
  EXPECT_EQ(available_memory_bytes(root.path()), 2000000);
}

TEST(Memory, ThisMachineHasSome) {
  EXPECT_GT(available_memory_bytes(), 1 << 20);
}

}  // namespace memory_test
}  // namespace graphnet::base
