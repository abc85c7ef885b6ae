// SPDX-License-Identifier: MIT
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <vector>

#include "base/result.h"

namespace graphnet::worker {

/// Whether the kernel copies memory of this process; a sandbox may refuse. The first call finds
/// out.
///
/// order    at the worker's start: a plugin could have it refused
bool kernel_copies();

/// Copy memory of this process that a plugin knows, by the kernel, and by memcpy() if
/// !kernel_copies(). Code of a plugin that waits for somebody to touch the memory does not run:
/// closed pages are an error, where memcpy() would run the handler of a signal, and a watchpoint
/// sees nothing. (Who may have page faults handled by a thread, as root may, still has one.)
///
/// Of more than 64 KiB that are read the kernel reads 16 bytes, anywhere, and memcpy() the rest: a
/// plugin that closes pages does not know which are looked at.
///
/// units    1 to 10 us, and writing 0.3 us for each page
/// errors   kPlugin: pages of `what` ("an output") are closed, or the kernel refuses from now on;
///          kEnvironment: no memory
/// source   process_vm_readv(2), process_vm_writev(2)
base::Status read_known_memory(const void* known, void* to, std::size_t num_bytes,
                               const char* what);
/// The same for several runs of memory at once, of the same sizes.
base::Status read_known_runs(const std::vector<iovec>& known, const std::vector<iovec>& to,
                             const char* what);
base::Status write_known_memory(const void* from, void* known, std::size_t num_bytes,
                                const char* what);

}  // namespace graphnet::worker
