// SPDX-License-Identifier: MIT
#include "eager/flush_denormals.h"

#include <ATen/Context.h>
#include <ATen/Parallel.h>

#include <atomic>
#include <cstdint>

namespace graphnet::eager {

bool set_flush_denormals(bool on) {
  if (!at::globalContext().setFlushDenormal(on)) return false;
  // The setting is a register of each thread. With one element a thread, parallel_for gives every
  // thread of the pool exactly one.
  std::atomic<bool> everywhere{true};
  at::parallel_for(0, at::get_num_threads(), 1, [&](std::int64_t, std::int64_t) {
    if (!at::globalContext().setFlushDenormal(on)) everywhere = false;
  });
  return everywhere;
}

}  // namespace graphnet::eager
