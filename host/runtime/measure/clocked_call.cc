// SPDX-License-Identifier: MIT
#include "measure/clocked_call.h"

#include <algorithm>

namespace graphnet::measure {

using base::Result;
using base::Status;

Result<Stopwatch> time_call(const SideCalls& side, const Instruments& instruments) {
  Stopwatch watch;
  watch.begin_ns = instruments.now();
  Status status = side.call();
  watch.end_ns = instruments.now();
  if (!status.is_ok()) return status;
  return watch;
}

CounterReading read_counters(const Instruments& instruments) {
  constexpr int kTries = 5;
  CounterReading reading;
  reading.begin_ns = instruments.now();
  for (int i = 0; i < kTries; ++i) {
    const std::int64_t begin_ns = instruments.now();
    reading.counters = instruments.counters();
    reading.end_ns = instruments.now();
    if (reading.end_ns - begin_ns < kReadingNs) break;
  }
  return reading;
}

double removable_wait_ns(const DisturbanceCounters& before, const DisturbanceCounters& after,
                         double span_ns, double share) {
  const Judgement judgement = judge(before, after, std::max(span_ns, 1.0), share);
  return judgement.is_removable ? judgement.waited_ns : 0;
}

Result<SteppedCall> step_call(const SideCalls& side, const std::function<Status()>& renew,
                              const Instruments& instruments, double share) {
  const DisturbanceCounters first = instruments.counters();
  const std::int64_t start_ns = instruments.now();
  if (side.prepare) GN_RETURN_IF_ERROR(side.prepare());
  if (renew) GN_RETURN_IF_ERROR(renew());
  const CounterReading before = read_counters(instruments);
  GN_ASSIGN_OR_RETURN(const Stopwatch watch, time_call(side, instruments));
  const auto behind_ns = static_cast<double>(instruments.now() - watch.end_ns);
  const DisturbanceCounters after = instruments.counters();
  SteppedCall call;
  call.call_ns = watch.elapsed_ns();
  call.waited_ns = call.call_ns - unwaited_ns(before.counters, after, call.call_ns, share);
  const auto steps_ns = static_cast<double>(before.end_ns - start_ns);
  const double waited_ns = removable_wait_ns(first, before.counters, steps_ns, share);
  // Waits fall into the reading, too, which is short without them.
  call.reading_ns = std::min(before.duration_ns(), static_cast<double>(kReadingNs));
  call.around_ns = static_cast<double>(watch.begin_ns - start_ns) - waited_ns - call.reading_ns;
  call.around_ns = std::max(call.around_ns, 0.0) + behind_ns;
  return call;
}

}  // namespace graphnet::measure
