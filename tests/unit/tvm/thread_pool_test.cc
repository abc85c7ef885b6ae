// SPDX-License-Identifier: MIT
#include "tvm_plugin/thread_pool.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <ctime>
#include <new>
#include <thread>
#include <vector>

namespace graphnet::tvm {
namespace thread_pool_test {

/// How often each part ran.
struct Counted {
  explicit Counted(int num_parts) : runs(static_cast<std::size_t>(num_parts)) {}
  std::vector<std::atomic<int>> runs;
};

int count_part(int task, ParallelGroup* group, void* data) {
  auto& runs = static_cast<Counted*>(data)->runs;
  if (group->num_tasks != static_cast<int>(runs.size())) return -1;
  ++runs[static_cast<std::size_t>(task)];
  return 0;
}

bool each_part_runs_once(ThreadPool& pool, int num_parts) {
  Counted counted(num_parts);
  if (pool.run(count_part, &counted, num_parts) != 0) return false;
  for (const std::atomic<int>& runs : counted.runs) {
    if (runs != 1) return false;
  }
  return true;
}

TEST(ThreadPool, RunsEachPartOnce) {
  for (const int threads : {1, 2, 4}) {
    ThreadPool pool(threads);
    for (int i = 0; i < 5'000; ++i) {
      ASSERT_TRUE(each_part_runs_once(pool, 1 + i % 7)) << threads << " threads, task " << i;
      if (i % 100 == 0) pool.rest();
    }
  }
}

TEST(ThreadPool, HasOnePartForEachThread) {
  ThreadPool pool(3);
  Counted counted(3);
  EXPECT_EQ(pool.run(count_part, &counted), 0);
}

// Both parts wait for each other.
TEST(ThreadPool, TwoThreadsRunAtATime) {
  ThreadPool pool(2);
  std::atomic<int> num_there = 0;
  const auto meet = [](int, ParallelGroup*, void* data) {
    auto& there = *static_cast<std::atomic<int>*>(data);
    ++there;
    while (there < 2) ::usleep(10);
    return 0;
  };
  EXPECT_EQ(pool.run(meet, &num_there), 0);
}

TEST(ThreadPool, SaysThatAPartFailed) {
  ThreadPool pool(2);
  const auto fail = [](int task, ParallelGroup*, void*) { return task == 1 ? 7 : 0; };
  EXPECT_EQ(pool.run(fail, nullptr), -1);
  EXPECT_TRUE(each_part_runs_once(pool, 2)) << "a failure ends the pool";
}

TEST(ThreadPool, APartMayRunATask) {
  ThreadPool pool(2);
  const auto nested = [](int, ParallelGroup*, void* data) {
    return each_part_runs_once(*static_cast<ThreadPool*>(data), 3) ? 0 : -1;
  };
  EXPECT_EQ(pool.run(nested, &pool), 0);
}

// Whoever computes next gets the cores.
TEST(ThreadPool, SleepsAtTheEndOfACall) {
  ThreadPool pool(2);
  ASSERT_TRUE(each_part_runs_once(pool, 2));
  pool.rest();
  constexpr useconds_t kSoonUs = 10'000;
  constexpr useconds_t kWatchedUs = 60'000;
  ::usleep(kSoonUs);
  const std::clock_t before = std::clock();
  ::usleep(kWatchedUs);
  const double ran_s = static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC;
  EXPECT_LT(ran_s, 1e-6 * kWatchedUs / 4);
}

// What a part has read and written is in its core's caches.
TEST(ThreadPool, APartStaysWithItsThread) {
  constexpr int kTasks = 2'000;
  ThreadPool pool(2);
  struct Seen {
    std::thread::id caller = std::this_thread::get_id();
    std::atomic<int> num_first = 0;
    std::atomic<int> num_second = 0;
    std::atomic<int> num_there = 0;
  } seen;
  const auto note = [](int task, ParallelGroup*, void* data) {
    auto& noted = *static_cast<Seen*>(data);
    ++noted.num_there;
    while (noted.num_there < 2) ::usleep(1);  // neither thread can take both
    const bool is_caller = std::this_thread::get_id() == noted.caller;
    if (is_caller == (task == 0)) ++(task == 0 ? noted.num_first : noted.num_second);
    return 0;
  };
  for (int i = 0; i < kTasks; ++i) {
    seen.num_there = 0;
    pool.run(note, &seen);
  }
  EXPECT_EQ(seen.num_first, kTasks);
  EXPECT_EQ(seen.num_second, kTasks);
}

TEST(ThreadPool, OfMoreThreadsThanBitsSomeAreNotStarted) {
  ThreadPool pool(70);
  Counted counted(64);
  EXPECT_EQ(pool.run(count_part, &counted), 0);
}

TEST(ThreadPool, WhatABodyThrowsIsThrownByTheCaller) {
  start_pool(2);
  const PoolCall call;
  for (int i = 0; i < 100; ++i) {
    std::atomic<int> calls{0};
    EXPECT_THROW(parallel(100,
                          [&](std::int64_t, std::int64_t) {
                            ++calls;
                            throw std::bad_alloc();
                          }),
                 std::bad_alloc);
    EXPECT_GE(calls, 1);
    std::atomic<std::int64_t> sum{0};
    parallel(100, [&](std::int64_t begin, std::int64_t end) { sum += end - begin; });
    EXPECT_EQ(sum, 100);
  }
}

TEST(ThreadPool, MorePartsThanBitsAreRunByTheCaller) {
  ThreadPool pool(2);
  EXPECT_TRUE(each_part_runs_once(pool, 64));
  EXPECT_TRUE(each_part_runs_once(pool, 65));
}

}  // namespace thread_pool_test
}  // namespace graphnet::tvm
