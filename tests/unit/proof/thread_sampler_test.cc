// SPDX-License-Identifier: MIT
#include "proof/thread_sampler.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <thread>
#include <vector>

#include "proof/thread_signals.h"
#include "unit/proof/generated_code.h"

namespace graphnet::proof {
namespace thread_sampler_test {

using std::chrono::milliseconds;
using std::chrono::steady_clock;

std::vector<Region> regions_now() {
  return MapHistory().regions(*base::read_memory_map());
}

TEST(ThreadSampler, FindsWhereThisThreadWorks) {
  auto sampler = ThreadSampler::start();
  ASSERT_TRUE(sampler.is_ok()) << sampler.status().to_string();
  volatile double sum = 0;
  const auto end = steady_clock::now() + milliseconds(200);
  while (steady_clock::now() < end) {
    for (int i = 0; i < 100'000; ++i) sum = sum + i;
  }
  const std::vector<Sample> samples = (*sampler)->stop().samples;
  ASSERT_GT(samples.size(), 10U);
  const std::vector<ModuleShare> shares = shares_of(samples, regions_now());
  ASSERT_FALSE(shares.empty());
  EXPECT_EQ(shares.front().module, "unit_proof");
  EXPECT_GT(shares.front().share, 0.5);
  // In the order in which they were taken, over most of the time.
  for (std::size_t i = 1; i < samples.size(); ++i) {
    EXPECT_GE(samples[i].time_ns, samples[i - 1].time_ns);
  }
  EXPECT_GT(samples.back().time_ns - samples.front().time_ns, 100'000'000);
}

TEST(ThreadSampler, KnowsAThreadThatWaits) {
  std::thread waiting([] { std::this_thread::sleep_for(milliseconds(100)); });
  auto sampler = ThreadSampler::start();
  ASSERT_TRUE(sampler.is_ok());
  waiting.join();
  const std::vector<Sample> samples = (*sampler)->stop().samples;
  ASSERT_GT(samples.size(), 10U);
  std::size_t num_waiting = 0;
  for (const Sample& sample : samples) num_waiting += sample.is_waiting ? 1 : 0;
  EXPECT_GT(num_waiting, samples.size() / 2);
}

// As oneDNN's sgemm kernels do: the stack pointer stands in a buffer while they compute.
__attribute__((noinline)) void count_with_stack_in(std::byte* stack, std::uint64_t count) {
  __asm__ volatile(
      "mov %%rsp, %%rbx\n"
      "mov %[stack], %%rsp\n"
      "1: dec %[count]\n"
      "jnz 1b\n"
      "mov %%rbx, %%rsp\n"
      : [count] "+r"(count)
      : [stack] "r"(stack)
      : "rbx", "cc", "memory");
}

TEST(ThreadSampler, LeavesTheMemoryBelowTheStackPointerAlone) {
  constexpr std::size_t kBytes = std::size_t{64} << 10U;
  constexpr std::byte kKept{0xA5};
  const auto compute = [&] {
    std::vector<std::byte> memory(kBytes, kKept);
    count_with_stack_in(memory.data() + kBytes - 64, 300'000'000);
    EXPECT_EQ(std::count(memory.begin(), memory.end(), kKept), kBytes);
  };
  std::atomic<bool> is_sampling{false};
  std::atomic<bool> has_begun{false};  // until then it blocks signals
  std::thread other([&] {
    has_begun = true;
    while (!is_sampling) std::this_thread::sleep_for(milliseconds(1));
    compute();
  });
  while (!has_begun) std::this_thread::yield();
  auto sampler = ThreadSampler::start();
  is_sampling = true;
  compute();
  other.join();
  ASSERT_TRUE(sampler.is_ok());
  EXPECT_GT((*sampler)->stop().samples.size(), 20U);
}

// A thread without an alternate stack must not get the sampler's signals, whenever it would take
// them.
TEST(ThreadSampler, OfAThreadThatBlockedItLeavesTheMemoryBelowTheStackPointerAlone) {
  constexpr std::size_t kBytes = std::size_t{64} << 10U;
  constexpr std::byte kKept{0xA5};
  std::atomic<bool> is_sampling{false};
  std::atomic<int> blocking{0};
  std::thread other([&] {
    sigset_t all;
    sigset_t before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, &before);
    blocking = ::gettid();
    while (!is_sampling) std::this_thread::sleep_for(milliseconds(1));
    std::vector<std::byte> memory(kBytes, kKept);
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    count_with_stack_in(memory.data() + kBytes - 64, 300'000'000);
    EXPECT_EQ(std::count(memory.begin(), memory.end(), kKept), kBytes);
    blocking = -blocking;
    while (is_sampling) std::this_thread::sleep_for(milliseconds(1));
  });
  while (blocking == 0) std::this_thread::yield();
  auto sampler = ThreadSampler::start();
  is_sampling = true;
  while (blocking > 0) std::this_thread::sleep_for(milliseconds(1));
  ASSERT_TRUE(sampler.is_ok());
  const SampleLog log = (*sampler)->stop();
  is_sampling = false;
  other.join();
  const auto noted =
      std::find_if(log.threads.begin(), log.threads.end(),
                   [&](const SampledThread& thread) { return thread.thread == -blocking; });
  ASSERT_NE(noted, log.threads.end()) << "it is known that samples are missing";
  EXPECT_GT(noted->ran_ns, 10'000'000);
  EXPECT_TRUE(std::none_of(log.samples.begin(), log.samples.end(),
                           [&](const Sample& sample) { return sample.thread == noted->thread; }));
}

TEST(ThreadSampler, MeasuresWhatASampleOfAWaitingThreadCosts) {
  const std::vector<ThreadState> before = read_threads();
  const auto was_there = [&](int thread) {
    return std::any_of(before.begin(), before.end(),
                       [&](const ThreadState& known) { return known.id == thread; });
  };
  auto sampler = ThreadSampler::start();
  ASSERT_TRUE(sampler.is_ok());
  std::this_thread::sleep_for(milliseconds(200));
  const SampleLog log = (*sampler)->stop();
  EXPECT_GT(log.look_ns, 100);
  EXPECT_LT(log.look_ns, kSlowPeriodNs);
  EXPECT_GT(log.samples.size(), 10U);
  for (const Sample& sample : log.samples) EXPECT_TRUE(was_there(sample.thread));
  for (const SampledThread& thread : log.threads) EXPECT_TRUE(was_there(thread.thread));
}

// Where a thread blocks signals, 0.2 s pass before the others are asked: time for one to begin.
TEST(ThreadSampler, TakesNoLaterThreadForItsOwn) {
  std::atomic<bool> is_blocking{false};
  std::atomic<bool> has_ended{false};
  std::thread blocker([&] {
    sigset_t all;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
    is_blocking = true;
    while (!has_ended) std::this_thread::sleep_for(milliseconds(1));
  });
  while (!is_blocking) std::this_thread::yield();
  std::thread maker([&] {
    std::this_thread::sleep_for(milliseconds(50));
    std::thread([&] {
      while (!has_ended) continue;
    }).join();
  });
  auto sampler = ThreadSampler::start();
  std::this_thread::sleep_for(milliseconds(200));
  const SampleLog log = sampler.is_ok() ? (*sampler)->stop() : SampleLog();
  has_ended = true;
  blocker.join();
  maker.join();
  ASSERT_TRUE(sampler.is_ok());
  EXPECT_LT(log.look_ns, kSlowPeriodNs / 2) << "as long as it is from one sample to the next";
}

TEST(ThreadSampler, GivesItsSignalBack) {
  for (int i = 0; i < 200; ++i) {
    auto sampler = ThreadSampler::start();
    ASSERT_TRUE(sampler.is_ok()) << "in round " << i << ": " << sampler.status().to_string();
  }
}

TEST(Shares, AreOfTheSamplesThatDidNotWait) {
  const tests::GeneratedCode code(1);
  const std::vector<Region> regions = {code.region(RegionKind::kExpect)};
  const std::vector<Sample> samples = {{code.window(0), 1, false},
                                       {code.window(0) + 1, 1, false},
                                       {code.window(0), 1, true},
                                       {code.window(0), 2, false},
                                       {1, 2, false}};
  const std::vector<ModuleShare> shares = shares_of(samples, regions);
  ASSERT_EQ(shares.size(), 2U);
  EXPECT_EQ(shares[0].module, "anonymous");
  EXPECT_EQ(shares[0].kind, RegionKind::kExpect);
  EXPECT_DOUBLE_EQ(shares[0].share, 0.75);
  EXPECT_EQ(shares[1].module, "unknown");
  EXPECT_TRUE(shares_of({}, regions).empty());
}

}  // namespace thread_sampler_test
}  // namespace graphnet::proof
