// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "device/gpu.h"
#include "proof/cupti_session.h"
#include "proof/regions.h"
#include "proof/verdict.h"

namespace graphnet::worker {

/// What CUPTI sees of the traced calls of a plugin, for the proof phase.
///
/// order    start(), then begin_call() and end_call() around each call, then finish()
class DeviceTracing {
 public:
  /// `session` is null where CUPTI did not start, for the reason in `state`; all borrowed.
  DeviceTracing(device::Gpu& gpu, proof::CuptiSession* session, proof::CuptiStatus state)
      : gpu_(gpu), session_(session), state_(std::move(state)) {}

  /// Begins to record and has the device do work of the host's own, which must be seen.
  void start();
  void begin_call();
  /// After the device has been waited for.
  ///
  /// units    nanoseconds: what host and events say of this very call
  void end_call(double host_ns, std::optional<double> event_ns);

  /// What was seen, for the verdict and, as `device`, for the record: proof/device_ledger.h, and
  ///
  /// | key                   | holds                                                       |
  /// |-----------------------|-------------------------------------------------------------|
  /// | `self_test`           | "ok", or why there was none                                 |
  /// | `host_ns`, `event_ns` | means over the traced calls, as `busy_ns` is                |
  /// | `times`               | how they contradict what was seen; absent if they do not    |
  proof::DeviceEvidence finish(const std::vector<proof::Region>& regions, base::Json& json);

 private:
  bool records() const { return session_ != nullptr && state_.is_ready(); }

  device::Gpu& gpu_;
  proof::CuptiSession* session_;
  proof::CuptiStatus state_;
  bool is_tested_ = false;
  std::string self_test_;
  int num_calls_ = 0;
  double host_ns_ = 0;
  double event_ns_ = 0;
};

}  // namespace graphnet::worker
