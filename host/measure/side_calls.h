// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "base/result.h"

namespace graphnet::measure {

/// What one side does; each function may be empty but `call`.
struct SideCalls {
  /// Before every call, outside the clock: puts back what a call changes (generator, arguments).
  /// Leave it empty if there is nothing to put back: only then can calls be timed in blocks.
  std::function<base::Status()> prepare;
  /// The call that is timed.
  std::function<base::Status()> call;
  /// Right after the first call, outside the clock: keeps its outputs.
  std::function<base::Status()> after_first;
};

}  // namespace graphnet::measure
