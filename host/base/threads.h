// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>
#include <time.h>

#include <cstdint>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace graphnet::base {

/// Starts a thread; nothing where the system has none to give (a limit on threads or memory).
template <typename Body>
std::optional<std::thread> start_thread(Body body) {
  try {
    return std::thread(std::move(body));
  } catch (const std::system_error&) {
    return std::nullopt;
  }
}

/// True if a thread of this process other than the caller runs or wants to.
bool other_threads_run();

/// The clock of the processor time of a thread of this process.
///
/// source   include/linux/posix-timers_types.h: CPUCLOCK_SCHED of one thread
clockid_t clock_of_thread(pid_t thread);

/// Processor time of a thread of this process; 0 if it has ended.
///
/// units    nanoseconds
std::int64_t thread_ran_ns(pid_t thread);

}  // namespace graphnet::base
