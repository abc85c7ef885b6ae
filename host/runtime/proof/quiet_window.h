// SPDX-License-Identifier: MIT
#pragma once

#include "proof/execute_deny.h"

namespace graphnet::proof {

/// Waits until no thread runs denied code by itself. It closes that code for 5 ms at a time until
/// nothing is hit. While other threads are ready to run it closes it for up to 20 ms, three times,
/// because on a busy machine they may not have had a core yet. A pool of libtorch's may spin for
/// tens of milliseconds inside libtorch before it sleeps.
///
/// Returns the number of tries; 0 if there is no other thread.
///
/// errors   kUnsupported naming thread and function if denied code still runs after 10 tries, or if
///          the kernel refuses
/// source   15 of 15 fresh processes that had set libtorch's thread count showed such hits, none
///          after at most 2 repeats
base::Result<int> wait_until_quiet(ExecuteDeny& tracer);

}  // namespace graphnet::proof
