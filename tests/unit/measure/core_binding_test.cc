// SPDX-License-Identifier: MIT
#include "measure/core_binding.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "measure/environment.h"

namespace graphnet::measure {
namespace core_binding_test {

using Cores = std::vector<int>;

int num_cores_of(pid_t thread) {
  cpu_set_t mask;
  CPU_ZERO(&mask);
  ::sched_getaffinity(thread, sizeof mask, &mask);
  return CPU_COUNT(&mask);
}

TEST(CoreList, IsReadAsTheKernelWritesIt) {
  EXPECT_EQ(core_list_in("0-2,8"), (Cores{0, 1, 2, 8}));
  EXPECT_EQ(core_list_in("5"), (Cores{5}));
  for (const char* text : {"", "x", "1-", "1,", ",1", "-1", "99999999999"}) {
    EXPECT_TRUE(core_list_in(text).empty()) << text;
  }
}

TEST(SpreadCores, TakesPhysicalCoresFirst) {
  const auto pairs = [](int core) { return Cores{core & ~1, core | 1}; };
  EXPECT_EQ(spread_cores({0, 1, 2, 3, 4, 5}, 0, pairs), (Cores{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(spread_cores({0, 1, 2, 3}, 3, pairs), (Cores{3, 0, 1, 2})) << "3 and 0 share no core";
  const auto none = [](int) { return Cores(); };
  EXPECT_EQ(spread_cores({0, 1, 2}, 1, none), (Cores{1, 2, 0}));
  EXPECT_EQ(spread_cores({4, 6}, 5, none), (Cores{4, 6})) << "the caller runs elsewhere by now";
}

TEST(CoreBinding, HoldsThreadsThatAreThereAndThoseThatCome) {
  if (affinity_cores() < 2) GTEST_SKIP() << "one core only";
  std::atomic<pid_t> early{0};
  std::atomic<bool> stop{false};
  std::thread before([&] {
    early = static_cast<pid_t>(::syscall(SYS_gettid));
    while (!stop) ::usleep(1000);
  });
  while (early == 0) ::usleep(100);
  const int all = affinity_cores();
  CoreBinding binding;
  EXPECT_TRUE(binding.cores().empty());
  binding.bind(1);
  EXPECT_EQ(binding.cores().size(), 1U);
  EXPECT_EQ(num_cores_of(0), 1);
  EXPECT_EQ(num_cores_of(early), 1);
  std::thread([&] { EXPECT_EQ(num_cores_of(0), 1); }).join();
  const Cores first = binding.cores();
  binding.bind(all + 5);
  EXPECT_EQ(num_cores_of(early), all);
  binding.bind(1);
  EXPECT_EQ(binding.cores(), first) << "the same core as before";
  binding.release();
  EXPECT_EQ(num_cores_of(0), all);
  EXPECT_EQ(num_cores_of(early), all);
  stop = true;
  before.join();
}

}  // namespace core_binding_test
}  // namespace graphnet::measure
