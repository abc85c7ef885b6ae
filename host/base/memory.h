// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace graphnet::base {

/// Memory that a new process could use without swapping: what the kernel calls available, or less
/// if a control group leaves less. 0 if the system does not say.
///
/// units    bytes
/// source   proc(5) MemAvailable; control groups v2 memory.max and memory.current, v1
///          memory.limit_in_bytes and memory.usage_in_bytes, of this process's own group
std::uint64_t available_memory_bytes();

/// Bounds the private writable memory of this process (heap, anonymous maps, thread stacks), so
/// that an allocation without end fails in the process that makes it and not in a neighbour.
/// Nothing happens for 0, and nothing under AddressSanitizer, which maps terabytes for itself.
///
/// units    bytes
/// source   setrlimit(2) RLIMIT_DATA, which counts private maps since Linux 4.7
void limit_data_bytes(std::uint64_t num_bytes);

}  // namespace graphnet::base
