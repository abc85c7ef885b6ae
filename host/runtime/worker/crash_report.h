// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>

namespace graphnet::worker {

/// From now on a signal that ends this process for what its code did (SIGSEGV, SIGBUS, SIGILL,
/// SIGFPE, SIGABRT) is first told to the supervisor, with the calls that led there, as messages of
/// journal/worker_message.h on `fd`. The process then ends by that signal as ever. Nothing is told
/// while `is_sending`: the message would land in the middle of another.
///
/// A handler that somebody installs later comes first; execute_deny.h passes on what is not its
/// own. A stack overflow of the calling thread is reported; one of another thread ends the process
/// without a report.
///
/// threads  call it once, in the main thread; crashes of all threads are told
void report_crashes(int fd, const std::atomic<bool>& is_sending);

}  // namespace graphnet::worker
