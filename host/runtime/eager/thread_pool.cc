// SPDX-License-Identifier: MIT
#include "eager/thread_pool.h"

#include <ATen/Functions.h>
#include <ATen/Parallel.h>
#include <c10/core/InferenceMode.h>
#include <dlfcn.h>

#include <string>

#include "base/log.h"
#include "eager/vector_math.h"
#include "eager/wall.h"

namespace graphnet::eager {

void set_pool_size(int num_threads) {
  // By name, so that it is the runtime that libtorch brought and no second one.
  using SetNumThreads = void (*)(int);
  const auto set = reinterpret_cast<SetNumThreads>(::dlsym(RTLD_DEFAULT, "omp_set_num_threads"));
  if (set != nullptr) return set(num_threads);
  base::log(
      base::LogLevel::kWarning, "eager",
      "no OpenMP runtime is loaded (omp_set_num_threads): libtorch runs with as many threads as "
      "it likes, not with " +
          std::to_string(num_threads));
}

// libtorch sets a number of its own when it is first asked: asked here, it cannot do so later and
// undo this one.
WithoutPool::WithoutPool() : num_threads_(at::get_num_threads()) {
  if (num_threads_ > 1) set_pool_size(1);
}

WithoutPool::~WithoutPool() {
  if (num_threads_ > 1) set_pool_size(num_threads_);
}

void warm_up() {
  // Larger than the sizes below which products take other paths.
  constexpr std::int64_t kSide = 64;
  resolve_vector_math();
  static_cast<void>(guarded([&] {
    const c10::InferenceMode inference;
    const at::Tensor square = at::ones({kSide, kSide});
    at::relu(at::addmm(at::ones({kSide}), square, square)).sum();
  }));
}

}  // namespace graphnet::eager
