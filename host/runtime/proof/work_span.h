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
/// Whose work is rests on ids and on times of calls, which are the host's own, so that work outside
/// of its span belongs to whom it belonged. It is counted and shown, and its times count: they are
/// differences on one clock. What rests on when work ran by the host's clock is given as much
/// room as the clocks are apart (`clock_error_ns`), as seen where work cannot lie outside.
///
/// The count matters in one case: work of the plugin that ends later after its call than the clocks
/// are apart and kLateSlackNs more. That is no clock, it was not waited for.
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
  /// clock; null if there is none, or if it is on another one.
  void add(const DeviceWork& work, std::uint64_t launch_ns, const TracedCall* call);
  OutsideSpan finish();

 private:
  OutsideSpan outside_;
  std::vector<std::uint64_t> late_of_plugin_ns_;
};

}  // namespace graphnet::proof
