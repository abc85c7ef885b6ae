// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

namespace graphnet::worker {

/// Makes workers by forking until the supervisor is gone; see journal/fork_message.h.
///
/// Returns true in each worker, which the kernel ends with the supervisor, whose descriptors 1, 2
/// and 3 then are what a fresh process would have; false in the zygote itself, at the end. libtorch
/// is loaded and warmed by then, and no parallel region ever ran: threads do not survive a fork,
/// and a pool that did run hangs in its next region.
bool serve_forks(pid_t supervisor);

}  // namespace graphnet::worker
