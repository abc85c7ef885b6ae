// SPDX-License-Identifier: MIT
#pragma once

namespace graphnet::eager {

/// Sets how many threads the parallel regions of libtorch and its maths library have that the
/// calling thread begins. Only the OpenMP runtime is told: libtorch's own setter would also start a
/// pool of another kind, whose threads spin.
void set_pool_size(int num_threads);

/// While it lives, the calling thread's parallel regions have one thread, and no pool starts. A
/// fork of a process with threads has one thread only, and the kernel's count
/// (measure/family_clock.h) leaves out threads that are there already; some operators (triu, tril)
/// start the pool for any size. Where MKL_NUM_THREADS is set, MKL does not follow.
class WithoutPool {
 public:
  WithoutPool();
  ~WithoutPool();
  WithoutPool(const WithoutPool&) = delete;
  WithoutPool& operator=(const WithoutPool&) = delete;

 private:
  int num_threads_;  ///< of the regions before
};

/// Runs a few operators, so that what libtorch sets up on its first call is there. Starts no thread
/// if the pool has one.
void warm_up();

}  // namespace graphnet::eager
