// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphnet::proof {

/// A thread of this process.
struct ThreadState {
  int id = 0;
  std::string name;
  char state = '\0';          ///< 'R': it runs or wants to
  std::uint64_t blocked = 0;  ///< bit n - 1: signal n is blocked
};

/// Reads the text of /proc/<pid>/task/<tid>/status.
ThreadState parse_thread_status(std::string_view text);

/// All threads of this process now; those that end meanwhile are left out.
std::vector<ThreadState> read_threads();

/// True if the thread has this signal blocked.
bool blocks(const ThreadState& thread, int signal);

/// The threads of this process that have this signal blocked and keep it so. The C library blocks
/// every signal in a thread that begins or ends; such a thread gets 0.2 s to be done with that.
std::vector<ThreadState> threads_that_block(int signal);

/// A real-time signal that nobody handles; 0: none.
int free_signal();

/// Takes the handler of a real-time signal away. One that is still on its way is lost; it would end
/// the process.
void drop_signal(int signal);

/// What the kernel calls for a signal, or SIG_DFL or SIG_IGN as numbers. It asks the kernel itself
/// and may be called in a signal handler.
std::uintptr_t handler_of(int signal);

/// True for threads that the CUDA driver starts, which it names "cuda-EvtHandlr" and the like.
bool is_drivers(const ThreadState& thread);

/// A thread of this process; number 0 if there is none of that number.
ThreadState read_thread(int id);

/// "thread 'worker' (1234)"; a thread that is gone has no name.
std::string describe_thread(int id);
std::string describe_thread(const ThreadState& thread);

}  // namespace graphnet::proof
