// SPDX-License-Identifier: MIT
#include "tvm_plugin/thread_pool.h"

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <exception>
#include <memory>
#include <string>

#include "graphnet/failure.h"

namespace graphnet::tvm {

namespace {

constexpr int kMostParts = 64;

/// Leaves the core to the other thread of it for some cycles.
void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// What a thread does that looks for others' doings again and again.
class Looks {
 public:
  void wait() {
    if (count_ < kBeforeYield) {
      ++count_;
      relax();
    } else {
      sched_yield();  // the core may be the one that all wait for
    }
  }

 private:
  static constexpr int kBeforeYield = 2000;  // some 0.1 ms
  int count_ = 0;
};

struct ParallelWork {
  std::int64_t count;
  const std::function<void(std::int64_t, std::int64_t)>& body;
  std::atomic_flag has_thrown = ATOMIC_FLAG_INIT;
  std::exception_ptr thrown = nullptr;  // the first
};

int run_range(int task, ParallelGroup* group, void* data) noexcept {
  auto& work = *static_cast<ParallelWork*>(data);
  const std::int64_t begin = work.count * task / group->num_tasks;
  const std::int64_t end = work.count * (task + 1) / group->num_tasks;
  try {
    if (begin < end) work.body(begin, end);
    return 0;
  } catch (...) {
    if (!work.has_thrown.test_and_set()) work.thrown = std::current_exception();
    return -1;
  }
}

int run_alone(ParallelTask task, void* data, int num_parts) {
  ParallelGroup group = {nullptr, num_parts};
  int status = 0;
  for (int part = 0; part < num_parts; ++part) {
    if (task(part, &group, data) != 0) status = -1;
  }
  return status;
}

std::unique_ptr<ThreadPool>& started_pool() {
  // Never destroyed: its threads may be asleep in it when the process ends.
  static auto* const started = new std::unique_ptr<ThreadPool>;
  return *started;
}

}  // namespace

ThreadPool::ThreadPool(int threads) : num_threads_(std::min(threads, kMostParts)) {
  try {
    for (int i = 1; i < num_threads_; ++i) {
      threads_.emplace_back([this, i] { work(i); });
      pthread_setname_np(threads_.back().native_handle(), "gn_tvm_pool");
    }
  } catch (const std::exception& error) {
    stop();
    throw Failure(GN_STATUS_UNAVAILABLE,
                  "cannot start " + std::to_string(num_threads_) + " threads: " + error.what());
  }
}

ThreadPool::~ThreadPool() {
  stop();
}

void ThreadPool::stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_stopped_ = true;
  }
  rest();
  woken_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ThreadPool::work(int own_part) {
  for (;;) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      woken_.wait(lock,
                  [this] { return is_stopped_ || is_awake_.load(std::memory_order_relaxed); });
      if (is_stopped_) return;
    }
    for (Looks looks; is_awake_.load(std::memory_order_acquire);) {
      if (run_part(own_part)) {
        looks = {};
      } else {
        looks.wait();
      }
    }
  }
}

void ThreadPool::wake() {
  if (is_awake_.load(std::memory_order_relaxed)) return;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_awake_.store(true, std::memory_order_release);
  }
  woken_.notify_all();
}

bool ThreadPool::run_part(int own_part) {
  for (;;) {
    const std::uint64_t left = left_.load(std::memory_order_acquire);
    if (left == 0) return false;
    const bool has_own = (left >> own_part & 1) != 0;
    const int part = has_own ? own_part : __builtin_ctzll(left);
    const std::uint64_t bit = std::uint64_t{1} << part;
    if ((left_.fetch_and(~bit, std::memory_order_acq_rel) & bit) == 0) continue;
    if (task_(part, &group_, data_) != 0) has_failed_.store(true, std::memory_order_relaxed);
    num_done_.fetch_add(1, std::memory_order_release);
    return true;
  }
}

int ThreadPool::run(ParallelTask task, void* data, int num_parts) {
  if (num_parts == 0) num_parts = num_threads_;
  const bool is_shared = num_parts > 1 && num_parts <= kMostParts && num_threads_ > 1;
  if (!is_shared || is_taken_.exchange(true, std::memory_order_acquire)) {
    return run_alone(task, data, num_parts);
  }
  task_ = task;
  data_ = data;
  group_ = {nullptr, num_parts};
  has_failed_.store(false, std::memory_order_relaxed);
  num_done_.store(0, std::memory_order_relaxed);
  left_.store(~std::uint64_t{0} >> (kMostParts - num_parts), std::memory_order_release);
  wake();
  while (run_part(0)) {
  }
  for (Looks looks; num_done_.load(std::memory_order_acquire) != num_parts;) looks.wait();
  const int status = has_failed_.load(std::memory_order_relaxed) ? -1 : 0;
  is_taken_.store(false, std::memory_order_release);
  return status;
}

void start_pool(int threads) {
  if (started_pool() == nullptr) started_pool() = std::make_unique<ThreadPool>(threads);
}

ThreadPool& pool() {
  start_pool(1);
  return *started_pool();
}

void parallel(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& body) {
  ParallelWork work = {count, body};
  pool().run(run_range, &work);
  if (work.thrown) std::rethrow_exception(work.thrown);
}

}  // namespace graphnet::tvm
