// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

namespace graphnet::tvm {

/// Cores that this thread may use.
std::size_t usable_cores();

/// Calls `body` for 0 to count - 1, on as many threads as there are usable cores.
///
/// errors   what a call throws, after all threads have stopped
void for_each_on_cores(std::size_t count, const std::function<void(std::size_t)>& body);

}  // namespace graphnet::tvm
