// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>

#include "base/result.h"
#include "measure/disturbance.h"
#include "measure/instruments.h"
#include "measure/side_calls.h"

namespace graphnet::measure {

/// Longer than it takes to read the counters (3 us, 20 us after a call that used the caches), much
/// shorter than another program keeps a core that it has got.
inline constexpr std::int64_t kReadingNs = 50'000;

/// Two readings of the clock.
struct Stopwatch {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  double elapsed_ns() const { return static_cast<double>(end_ns - begin_ns); }
};

/// Durations are taken here only: between the two readings there is nothing but the call.
///
/// errors   the call's
base::Result<Stopwatch> time_call(const SideCalls& side, const Instruments& instruments);

/// The counters of one moment.
struct CounterReading {
  DisturbanceCounters counters;
  std::int64_t begin_ns = 0;  ///< of the first try
  std::int64_t end_ns = 0;

  double duration_ns() const { return static_cast<double>(end_ns - begin_ns); }
};

/// Reads the counters again if that takes long: returning from the kernel is where a thread loses
/// its core, and a wait between the reading and the clock would be taken out of a call that it is
/// not in.
CounterReading read_counters(const Instruments& instruments);

/// Wait between two readings that can be taken out of the span between them: the calling thread
/// alone ran in it. 0 if another thread or process may have worked meanwhile.
///
/// units    nanoseconds; `share` as PairedSettings::disturbed_share
double removable_wait_ns(const DisturbanceCounters& before, const DisturbanceCounters& after,
                         double span_ns, double share);

/// A call outside the pairs, by the same steps as in them.
///
/// units    nanoseconds
struct SteppedCall {
  double call_ns = 0;     ///< wall clock
  double waited_ns = 0;   ///< of it; see unwaited_ns()
  double around_ns = 0;   ///< the host's steps before and behind it, without waits and reading
  double reading_ns = 0;  ///< the reading of the counters right before it

  double own_ns() const { return call_ns - waited_ns; }
};

/// Prepares, renews the inputs (`renew` may be empty), calls.
///
/// errors   the first failing function's
base::Result<SteppedCall> step_call(const SideCalls& side,
                                    const std::function<base::Status()>& renew,
                                    const Instruments& instruments, double share);

}  // namespace graphnet::measure
