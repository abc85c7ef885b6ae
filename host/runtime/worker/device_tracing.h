// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "device/gpu.h"
#include "proof/cupti_session.h"
#include "proof/device_ledger.h"
#include "proof/regions.h"
#include "proof/verdict.h"

namespace graphnet::worker {

/// What CUPTI sees of traced calls, for the proof phase: of the plugin's, of replays of what was
/// captured of it, and of eager's, beside which the device's busy time can be put.
///
/// order    start(), then begin_call() and end_call() around each call, then finish(). Ends before
///          the device
class DeviceTracing {
 public:
  /// The device is borrowed.
  DeviceTracing(device::Gpu& gpu, proof::CuptiSession::Settings settings)
      : gpu_(gpu), settings_(std::move(settings)) {}

  /// Starts CUPTI and has the device do work of the host's own, which must be seen. Nothing can be
  /// timed afterwards.
  void start();
  void begin_call(proof::CallSide side);
  /// After the device has been waited for.
  ///
  /// units    nanoseconds: what host and events say of this very call
  void end_call(double host_ns, std::optional<double> event_ns);
  /// False if nothing of a call will be seen.
  bool records() const { return session_ != nullptr; }

  /// What was seen, for the verdict and, as `device`, for the record: proof/device_json.h, and
  ///
  /// | key                   | holds                                                       |
  /// |-----------------------|-------------------------------------------------------------|
  /// | `self_test`           | "ok", or why there was none                                 |
  /// | `host_ns`, `event_ns` | means over the traced calls, as `busy_ns` is; in the        |
  /// |                       | objects of replays and of eager's calls as well             |
  /// | `times`               | how they contradict what was seen; absent if they do not    |
  /// | `raw`                 | proof/raw_rows.h; absent if nothing is doubtful: evidence   |
  /// |                       | is there, all work is somebody's, and calls did the same    |
  proof::DeviceEvidence finish(const std::vector<proof::Region>& regions, base::Json& json);

 private:
  /// What host and events say of the calls of one side, added up.
  struct Times {
    int num_calls = 0;
    double host_ns = 0;
    double event_ns = 0;
  };
  std::string check_all_times(const proof::DeviceLedger& ledger, base::Json& json) const;
  std::string check_times(const proof::CallsOnDevice& calls, proof::CallSide side,
                          std::uint64_t clock_error_ns, base::Json& json) const;

  device::Gpu& gpu_;
  proof::CuptiSession::Settings settings_;
  std::unique_ptr<proof::CuptiSession> session_;
  proof::CuptiStatus state_;
  bool is_tested_ = false;
  std::string self_test_;
  proof::CallSide side_ = proof::CallSide::kHost;
  std::map<proof::CallSide, Times> times_;
};

}  // namespace graphnet::worker
