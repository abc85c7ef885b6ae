// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace graphnet::tvm {

/// What a part of parallel work is told.
///
/// source   TVM's runtime/c_backend_api.h
struct ParallelGroup {
  void* sync_handle;  ///< of barriers, which no kernel of this plugin has: null
  std::int32_t num_tasks;
};
using ParallelTask = int (*)(int task, ParallelGroup* group, void* data);

/// Threads that share the parallel loops of a call with the thread that calls. TVM's kernels use
/// this in place of TVM's own pool, whose threads look for work after a call, too, on cores that
/// others get next, or sleep between the loops of one call.
///
/// Threads are awake from the first loop of a call to its end (rest()), and asleep otherwise. Each
/// takes its own part first, whose data the last loop has left in its core's caches, and then what
/// nobody has taken: while the others wake, the caller goes on alone. One that finds nothing for
/// 0.1 ms offers its core to others.
class ThreadPool {
 public:
  /// threads   that work, the calling one among them; 64 at most are used
  ///
  /// errors    Failure UNAVAILABLE: the system starts no more
  explicit ThreadPool(int threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  /// Runs the parts 0 to num_parts - 1 of a task, which throws nothing, and waits for them; 0: one
  /// for each thread. Within a part, while another thread runs a task, and if there are more than
  /// 64, the caller runs all parts itself.
  ///
  /// returns  0; -1: a part returned something else
  int run(ParallelTask task, void* data, int num_parts = 0);

  /// Lets the threads sleep. To be called at the end of a call, not while a task runs.
  void rest() { is_awake_.store(false, std::memory_order_release); }

 private:
  void work(int own_part);
  void wake();
  void stop();
  /// Takes a part of the task and runs it; false: none is left.
  bool run_part(int own_part);

  static constexpr std::size_t kCacheLine = 64;

  const int num_threads_;
  ParallelTask task_ = nullptr;
  void* data_ = nullptr;
  ParallelGroup group_ = {};
  std::atomic<bool> is_taken_{false};
  std::atomic<bool> has_failed_{false};
  /// The parts that nobody has taken, a bit for each. Who took one may read what is above until all
  /// parts are done.
  alignas(kCacheLine) std::atomic<std::uint64_t> left_{0};
  alignas(kCacheLine) std::atomic<int> num_done_{0};
  alignas(kCacheLine) std::atomic<bool> is_awake_{false};
  bool is_stopped_ = false;  ///< guarded by mutex_
  std::mutex mutex_;
  std::condition_variable woken_;
  std::vector<std::thread> threads_;
};

/// Starts the pool of this process, which is never stopped; the first call decides its size.
void start_pool(int threads);

/// The pool of this process. One of one thread if none was started.
ThreadPool& pool();

/// Lets the pool's threads sleep when the call of a program ends.
class PoolCall {
 public:
  PoolCall() = default;
  ~PoolCall() { pool().rest(); }
  PoolCall(const PoolCall&) = delete;
  PoolCall& operator=(const PoolCall&) = delete;
};

/// Calls body(begin, end) for parts of [0, count), one for each thread of the pool, and waits.
/// Throws what the body threw first, once all parts have ended.
void parallel(std::int64_t count, const std::function<void(std::int64_t, std::int64_t)>& body);

}  // namespace graphnet::tvm
