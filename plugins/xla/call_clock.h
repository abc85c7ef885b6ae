// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

namespace graphnet::xla {

/// Where the host's time went in calls on a device, in nanoseconds; sums.
struct CallTimes {
  std::uint64_t num_calls = 0;
  std::int64_t launch_ns = 0;  ///< until PJRT had taken the program
  std::int64_t await_ns = 0;   ///< from there until its event said that it was complete
  std::int64_t copy_ns = 0;    ///< asking for the copies of results
};

/// Takes these times where it is switched on: three looks at a clock, which calls of a
/// microsecond on a processor would feel. The first call, which loads kernels, is left out.
class CallClock {
 public:
  explicit CallClock(bool is_on) : is_on_(is_on) {}

  void start() {
    if (is_on_) last_ = Clock::now();
  }
  /// What passed since the last look belongs to `part`.
  void lap(std::int64_t CallTimes::*part) {
    if (!is_on_) return;
    const Clock::time_point now = Clock::now();
    if (is_warm_) times_.*part += std::chrono::nanoseconds(now - last_).count();
    last_ = now;
  }
  /// The call succeeded.
  void finish() {
    if (is_warm_) ++times_.num_calls;
    is_warm_ = is_on_;
  }

  const CallTimes& times() const { return times_; }

 private:
  using Clock = std::chrono::steady_clock;

  bool is_on_;
  bool is_warm_ = false;
  Clock::time_point last_;
  CallTimes times_;
};

}  // namespace graphnet::xla
