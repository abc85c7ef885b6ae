// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <filesystem>

namespace graphnet::base {

/// Memory that this process can still take before the system or one of its limits stops it: the
/// smallest of MemAvailable, what every enclosing control group has left (its file cache counted as
/// free), and RLIMIT_DATA. `root` is "/" outside of tests.
///
/// units    bytes; 2^63 - 1 if nothing is known
/// source   proc(5), Linux cgroup-v2 "memory.max" and cgroup-v1 "memory.limit_in_bytes"
std::int64_t available_memory_bytes(const std::filesystem::path& root = "/");

/// Bounds the private writable memory of this process (heap, anonymous maps, thread stacks), so
/// that an allocation without end fails in the process that makes it and not in a neighbour.
/// Nothing happens for 0, or where it cannot be done.
///
/// units    bytes
/// source   setrlimit(2) RLIMIT_DATA, which counts private maps since Linux 4.7
void limit_data_bytes(std::uint64_t num_bytes);

/// False under AddressSanitizer, which reserves terabytes for itself.
bool can_limit_data();

/// Asks the kernel to end this process and what it starts rather than others of about its size when
/// memory runs out: a sample can be run again.
///
/// source   proc(5) /proc/pid/oom_score_adj
void offer_to_oom_killer();

/// Has the C library's allocator keep what is freed, buffers of 32 MiB and more excepted. By itself
/// it returns memory at the end of the heap beyond twice the largest buffer freed so far, unless
/// something that lives happens to lie there: in one process a call then takes page faults for all
/// its buffers, in the next none. Call it before any thread.
///
/// errors   false: another allocator, which does as it does
/// source   mallopt(3) M_TRIM_THRESHOLD, M_MMAP_THRESHOLD; 32 MiB is the largest that it takes
bool keep_freed_memory();

}  // namespace graphnet::base
