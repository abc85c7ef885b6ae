// SPDX-License-Identifier: MIT
#pragma once

#include "proof/execute_deny.h"

namespace graphnet::proof {

/// Waits until no thread runs denied code though nobody asks for it: closes it for 5 ms at a time,
/// until nothing is hit; for up to 20 ms, and three times, while other threads want to run, which
/// on a busy machine may not have had their turn. A pool of libtorch's may spin for tens of
/// milliseconds inside libtorch before it sleeps.
///
/// Returns how often it had to look: 0 if there is no other thread.
///
/// errors   kUnsupported naming thread and function if there is no quiet within 10 looks, or if the
///          kernel refuses
/// source   15 of 15 fresh processes that had set libtorch's thread count showed such hits, none
///          after at most 2 repeats
base::Result<int> wait_until_quiet(ExecuteDeny& tracer);

}  // namespace graphnet::proof
