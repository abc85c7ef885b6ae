// SPDX-License-Identifier: MIT
#include "proof/work_span.h"

#include <algorithm>

namespace graphnet::proof {

bool SpanWatch::add(const DeviceWork& work, std::uint64_t launch_ns, const TracedCall* call) {
  if (!work.is_timed()) return false;
  const bool is_early = launch_ns != 0 && work.start_ns < launch_ns;
  if (is_early) {
    ++outside_.early;
    outside_.most_early_ns = std::max(outside_.most_early_ns, launch_ns - work.start_ns);
    outside_.clock_error_ns = std::max(outside_.clock_error_ns, outside_.most_early_ns);
  }
  // Between calls nobody waits for the device.
  const bool is_waited_for = call != nullptr && call->side != CallSide::kBetween;
  if (!is_waited_for || work.end_ns <= call->end_ns) return is_early;
  const std::uint64_t late_ns = work.end_ns - call->end_ns;
  outside_.late += is_early ? 0 : 1;
  outside_.most_late_ns = std::max(outside_.most_late_ns, late_ns);
  const bool is_plugins = call->side == CallSide::kPlugin || call->side == CallSide::kReplay;
  if (is_plugins) {
    late_of_plugin_ns_.push_back(late_ns);
  } else {
    outside_.clock_error_ns = std::max(outside_.clock_error_ns, late_ns);
  }
  return true;
}

OutsideSpan SpanWatch::finish() {
  for (const std::uint64_t late_ns : late_of_plugin_ns_) {
    if (late_ns <= outside_.clock_error_ns + kLateSlackNs) continue;
    ++outside_.unwaited;
    outside_.most_unwaited_ns = std::max(outside_.most_unwaited_ns, late_ns);
  }
  return outside_;
}

}  // namespace graphnet::proof
