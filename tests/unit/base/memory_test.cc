// SPDX-License-Identifier: MIT
#include "base/memory.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace graphnet::base {
namespace {

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

}  // namespace
}  // namespace graphnet::base
