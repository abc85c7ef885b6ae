// SPDX-License-Identifier: MIT
#pragma once

#include <pthread.h>

#include <cstddef>
#include <exception>
#include <stdexcept>

namespace graphnet {

/// Runs `body` on a thread of its own and waits for it; what it throws is thrown here. For
/// compiles: glibc gives each thread a heap of its own, and what a compile leaves there, large free
/// pieces between small ones in use, makes every later malloc slower. In the caller's heap that
/// would be those of eager's calls: measured, a fifth of the time of a graph with many nodes, which
/// the host flags as `eager_slowed`. Thread-local state of a compiler must not be needed later.
///
/// errors   std::runtime_error if there is no thread to be had
template <typename Body>
void on_own_heap(Body body) {
  struct Work {
    Body& body;
    std::exception_ptr thrown;
  } work{body, nullptr};
  const auto run = [](void* context) -> void* {
    auto& mine = *static_cast<Work*>(context);
    try {
      mine.body();
    } catch (...) {
      mine.thrown = std::current_exception();
    }
    return nullptr;
  };
  // Compilers recurse, and where the limit of stacks is off glibc takes 2 MiB.
  constexpr std::size_t kStackBytes = std::size_t{64} << 20U;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, kStackBytes);
  pthread_t thread = {};
  const int failed = pthread_create(&thread, &attributes, run, &work);
  pthread_attr_destroy(&attributes);
  if (failed != 0) throw std::runtime_error("no thread to compile on");
  pthread_join(thread, nullptr);
  if (work.thrown) std::rethrow_exception(work.thrown);
}

}  // namespace graphnet
