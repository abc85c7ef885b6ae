// SPDX-License-Identifier: MIT
#include "tvm_plugin/on_cores.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <vector>

namespace graphnet::tvm {

std::size_t usable_cores() {
  cpu_set_t cores;
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return static_cast<std::size_t>(CPU_COUNT(&cores));
}

void for_each_on_cores(std::size_t count, const std::function<void(std::size_t)>& body) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::future<void>> threads;
  for (std::size_t i = 0; i < std::min(usable_cores(), count); ++i) {
    threads.push_back(std::async(std::launch::async, [&] {
      for (std::size_t at = next++; at < count; at = next++) body(at);
    }));
  }
  for (const auto& thread : threads) thread.wait();
  for (auto& thread : threads) thread.get();
}

}  // namespace graphnet::tvm
