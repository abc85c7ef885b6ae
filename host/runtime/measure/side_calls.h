// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "base/result.h"

namespace graphnet::measure {

/// What one side does; each function may be empty but `call`.
struct SideCalls {
  /// Before every call, outside the clock: puts back what a call changes (generator, arguments) and
  /// makes outputs worthless, so that every call finds the same.
  std::function<base::Status()> prepare;
  /// The call that is timed.
  std::function<base::Status()> call;
  /// Right after the first call, outside the clock: keeps its outputs.
  std::function<base::Status()> after_first;
  /// Before every warm-up call but not the first call, outside the clock: gives inputs other
  /// content.
  std::function<base::Status()> renew = nullptr;
  /// After a call, outside the clock: how long it was by the device's own clock, in nanoseconds.
  /// Null on the host, which has no other clock.
  std::function<base::Result<double>()> event_ns = nullptr;
};

}  // namespace graphnet::measure
