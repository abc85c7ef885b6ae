// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include "base/result.h"
#include "device/gpu.h"

namespace graphnet::device {

/// Times of one call, which are three different things and never mixed with one another.
///
/// units    nanoseconds
struct GpuTimes {
  double host_ns = 0;   ///< from before the call until the device has done everything
  double event_ns = 0;  ///< between an event before and one after it, on the default stream
};

/// Times calls by events that are made once.
class GpuTimer {
 public:
  /// errors   as Gpu
  static base::Result<GpuTimer> create(Gpu& gpu);
  GpuTimer(GpuTimer&& other) noexcept;
  GpuTimer& operator=(GpuTimer&&) = delete;
  ~GpuTimer();

  /// Waits for the device, then times one call and all that it asks of the device.
  ///
  /// errors   as Gpu, and the call's own
  base::Result<GpuTimes> time(Gpu& gpu, const std::function<base::Status()>& call);

  /// Makes a call between the two events and waits for the device: what time() puts its clock
  /// around, for those who have a clock of their own.
  ///
  /// errors   as time()
  base::Status span(Gpu& gpu, const std::function<base::Status()>& call);
  /// Between the events of the last span().
  ///
  /// units    nanoseconds
  /// errors   kEnvironment: there was none, or it failed
  base::Result<double> span_ns() const;

 private:
  explicit GpuTimer(const DriverLibrary& driver) : driver_(&driver) {}

  const DriverLibrary* driver_;
  DriverLibrary::Handle start_ = nullptr;
  DriverLibrary::Handle end_ = nullptr;
};

}  // namespace graphnet::device
