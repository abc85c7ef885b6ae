// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace graphnet::base {

/// Children of a process, those of all its threads; empty if there is no such process.
///
/// source   /proc/<pid>/task/<tid>/children; without CONFIG_PROC_CHILDREN a search of /proc
std::vector<pid_t> children_of(pid_t pid);

/// Threads of a process, one that has ended and is not reaped among them; 0 if there is none, or
/// /proc cannot be read.
int num_threads(pid_t pid);
/// Of this process.
int num_threads();

/// Whether the caller's thread is the only one. The kernel lists a thread for some microseconds
/// after it was joined: waits for such ones, 100 ms at most.
bool is_single_threaded();

/// State letter in the text of /proc/<pid>/stat ('Z': it has ended and waits to be reaped); '\0' if
/// there is none. The name before it may hold anything, brackets and blanks too.
///
/// source   proc_pid_stat(5), field 3
char process_state_in(std::string_view stat);

/// State of a process; '\0' if there is none.
char process_state(pid_t pid);

/// Whether no thread of a process runs any more. Where the first one has ended and others have not,
/// the kernel says 'Z', too.
bool has_ended(pid_t pid);

/// True if a process carries the variable of `mark`, "NAME=value", with another value.
bool is_marked_otherwise(pid_t pid, const std::string& mark);

}  // namespace graphnet::base
