// SPDX-License-Identifier: MIT
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>

#include "base/file.h"

namespace graphnet::measure {

/// A software event of a thread and of all that it starts from then on, with what the usual
/// perf_event_paranoid demands.
///
/// core     where it counts; -1: everywhere
/// errors   not open: the kernel or a sandbox refuses
base::UniqueFd open_inherited_event(perf_event_attr attributes, std::uint64_t config, pid_t thread,
                                    int core);

/// Calls `open` with the calling thread's id, on a thread that has ended when this returns: an
/// event belongs to the thread that opens it, which may stop it (PR_TASK_PERF_EVENTS_DISABLE), and
/// then belongs to nobody.
///
/// errors   false: this process has other threads, whose events these would not be
bool open_events(const std::function<void(pid_t)>& open);

}  // namespace graphnet::measure
