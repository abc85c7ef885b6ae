// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

namespace graphnet::tvm {

/// Seconds of a clock that nobody sets.
inline double seconds_now() {
  const auto since = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(since).count();
}

}  // namespace graphnet::tvm
