// SPDX-License-Identifier: MIT
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>

namespace graphnet::measure {

/// Number of calls after which compiling has paid: cost by what a call saves, rounded up.
///
/// units    nanoseconds; `bind_ns`: with whatever else is done once before the calls
/// errors   nothing if a call saves no time, or if the number is beyond 10^15
inline std::optional<std::int64_t> break_even_calls(double compile_ns, double bind_ns,
                                                    double eager_call_ns, double backend_call_ns) {
  constexpr double kMost = 1e15;
  const double saved_ns = eager_call_ns - backend_call_ns;
  if (!(saved_ns > 0)) return std::nullopt;
  const double calls = std::ceil((compile_ns + bind_ns) / saved_ns);
  if (!(calls <= kMost)) return std::nullopt;
  return static_cast<std::int64_t>(calls);
}

}  // namespace graphnet::measure
