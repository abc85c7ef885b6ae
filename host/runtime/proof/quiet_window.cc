// SPDX-License-Identifier: MIT
#include "proof/quiet_window.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <thread>

#include "base/threads.h"
#include "proof/findings.h"
#include "proof/thread_signals.h"

namespace graphnet::proof {

namespace {

constexpr int kMostLooks = 10;
// One that wants to run may get no core during a look, on a busy machine; one that spins for work
// always wants to.
constexpr int kLooksBesideThreads = 3;
constexpr int kMostWaits = 4;
constexpr std::chrono::milliseconds kWait{5};

/// Processor times of the other threads of this process.
std::map<int, std::int64_t> times_of_others() {
  const auto self = static_cast<int>(::syscall(SYS_gettid));
  std::map<int, std::int64_t> times;
  for (const ThreadState& thread : read_threads()) {
    if (thread.id != self) times[thread.id] = base::thread_ran_ns(thread.id);
  }
  return times;
}

/// Whether each other thread that wants to run has had a core since `before`.
bool those_that_want_ran(const std::map<int, std::int64_t>& before) {
  const auto self = static_cast<int>(::syscall(SYS_gettid));
  const std::vector<ThreadState> threads = read_threads();
  return std::all_of(threads.begin(), threads.end(), [&](const ThreadState& thread) {
    if (thread.id == self || thread.state != 'R') return true;
    const auto known = before.find(thread.id);
    return known != before.end() && base::thread_ran_ns(thread.id) > known->second;
  });
}

// What this thread hits is our own: the C++ library's templates, of which libtorch has copies.
std::vector<Hit> hits_of_others(const ExecuteDeny& tracer) {
  std::vector<Hit> hits = tracer.hits();
  const auto self = static_cast<int>(::syscall(SYS_gettid));
  const auto end =
      std::remove_if(hits.begin(), hits.end(), [&](const Hit& hit) { return hit.thread == self; });
  hits.erase(end, hits.end());
  return hits;
}

}  // namespace

base::Result<int> wait_until_quiet(ExecuteDeny& tracer) {
  if (read_threads().size() == 1) return 0;
  for (int look = 1; look <= kMostLooks; ++look) {
    GN_RETURN_IF_ERROR(tracer.arm({RegionKind::kDeny}));
    const auto before = times_of_others();  // what ran while pages were open was not looked at
    for (int wait = 0; wait < kMostWaits; ++wait) {
      std::this_thread::sleep_for(kWait);
      if (!base::other_threads_run()) break;
    }
    GN_RETURN_IF_ERROR(tracer.disarm());
    const bool has_looked =
        !base::other_threads_run() || (look >= kLooksBesideThreads && those_that_want_ran(before));
    if (has_looked && hits_of_others(tracer).empty()) return look;
  }
  const std::vector<Hit> hits = hits_of_others(tracer);
  if (hits.empty()) return kMostLooks;
  const Trace trace = name_hits(hits, tracer.regions());
  const Finding& noise = trace.denied.empty() ? trace.allowed.front() : trace.denied.front();
  return base::Status(base::Code::kUnsupported, describe_thread(noise.thread) + " keeps running " +
                                                    noise.symbol + " outside of any call");
}

}  // namespace graphnet::proof
