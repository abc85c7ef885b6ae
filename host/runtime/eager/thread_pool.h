// SPDX-License-Identifier: MIT
#pragma once

namespace graphnet::eager {

/// Sets how many threads the parallel regions of libtorch and its maths library have that the
/// calling thread begins. Only the OpenMP runtime is told: libtorch's own setter would also start a
/// pool of another kind, whose threads spin.
void set_pool_size(int num_threads);

/// Runs a few operators, so that what libtorch sets up on its first call is there. Starts no thread
/// if the pool has one.
void warm_up();

}  // namespace graphnet::eager
