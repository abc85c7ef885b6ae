// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

namespace graphnet::tests {

/// A way to have a device do something. Plain C++, so that only launches.cu needs nvcc.
struct LaunchKind {
  const char* name;
  /// An error of the runtime, or 0. What it launches has ended when the device has been waited for.
  int (*run)();
  std::size_t num_kernels;
  std::size_t num_copies;
  std::size_t num_sets;
};

/// Every way of the runtime. Graphs are made at their first run, not in each.
const std::vector<LaunchKind>& launch_kinds();

/// One launch of the smallest kernel; an error of the runtime, or 0.
int launch_plain();

/// Waits for the device; an error of the runtime, or 0.
int wait_for_device();

}  // namespace graphnet::tests
