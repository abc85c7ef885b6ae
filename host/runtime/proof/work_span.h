// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "proof/cupti_session.h"

namespace graphnet::proof {

/// Work that was told to lie outside of the span in which it can have been done. Times on a device
/// are taken by its own clock and brought to the host's by CUPTI, which is a guess: kernels then
/// seem to start before the call that launches them, or to end after the device was waited for.
///
/// Attribution uses ids and the host's times of calls, so work outside of its span keeps its owner.
/// It is counted and shown, and its durations are valid, because they are differences on one clock.
/// Checks that compare such work with the host's clock allow for the difference of the clocks
/// (`clock_error_ns`), which is measured where work cannot lie outside.
///
/// Such work counts against the plugin in one case: if it ends after its call by more than the
/// clocks differ plus kLateSlackNs. The difference of the clocks does not explain that; the plugin
/// did not wait for its work.
///
/// units    nanoseconds
struct OutsideSpan {
  std::size_t early = 0;  ///< starts before the call of the driver that asked for it
  std::size_t late =
      0;  ///< ends after the traced call, at the end of which the device was waited for
  std::uint64_t most_early_ns = 0;
  std::uint64_t most_late_ns = 0;
  /// The farthest that work lies outside where it cannot: early, or late in calls of eager or host.
  std::uint64_t clock_error_ns = 0;
  std::size_t unwaited = 0;  ///< of the plugin: late by more than the clocks explain
  std::uint64_t most_unwaited_ns = 0;

  std::size_t count() const { return early + late; }
};

/// Work of the plugin may be late by so much more than the clocks are seen to be apart.
///
/// units    nanoseconds
inline constexpr std::uint64_t kLateSlackNs = 100'000;

/// Looks at each piece of work in turn.
class SpanWatch {
 public:
  /// `launch_ns`: when the call of the driver or the runtime that asked for it began, on the clock
  /// of records; 0 if that is not known. `call`: the traced call that it belongs to, on the same
  /// clock; null if there is none, or if it is on another one. True if it lies outside.
  bool add(const DeviceWork& work, std::uint64_t launch_ns, const TracedCall* call);
  OutsideSpan finish();

 private:
  OutsideSpan outside_;
  std::vector<std::uint64_t> late_of_plugin_ns_;
};

}  // namespace graphnet::proof
