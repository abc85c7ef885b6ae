// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "base/memory_map.h"

namespace graphnet::worker {

/// Libraries of CUDA among the mappings, once each: [{"name": "libcublas.so.13", "file", "version":
/// "13.1.0"}]. The version is what the library itself says, else what its file's name says; absent
/// if neither does. Of the driver both: `release` is its own, `version` the newest CUDA it knows.
///
/// order    by name
base::Json cuda_libraries(const std::vector<base::Mapping>& mappings);

/// Where a compiler finds the tools of CUDA that it needs: {"ptxas", "libdevice"}, each a file or
/// null.
///
/// order    PATH (ptxas only), beside the libtorch that is mapped, CUDA_HOME, CUDA_PATH, /usr/local
base::Json cuda_tools(const std::vector<base::Mapping>& mappings);

/// The threads of this process: [{"id", "name", "blocked": ["SIGSEGV", ...]}]; `blocked` is null
/// where the kernel does not tell.
base::Json thread_signals();

}  // namespace graphnet::worker
