// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>

#include "base/result.h"
#include "device/gpu.h"

namespace graphnet::device {

/// What a call asks of a device, recorded once; a launch asks all of it again, at the same
/// addresses.
class CapturedGraph {
 public:
  using Call = std::function<base::Status(DriverLibrary::Handle stream)>;

  /// Records a call on a stream that is made for it and stays for as long as the graph. The call
  /// must leave all its work to that stream, or to streams that it joins with it, must not wait for
  /// the device and must not allocate: the driver refuses what this thread does of that
  /// (CU_STREAM_CAPTURE_MODE_THREAD_LOCAL). The stream waits for the default stream as ordinary
  /// ones do, so that work which goes there meanwhile is refused too and not left out in silence.
  ///
  /// errors   the call's own, with the driver's as context; kPlugin: what it did cannot be captured
  ///          (the driver's error), or nothing was asked of the stream, since a graph without nodes
  ///          would only look fast; else as Gpu
  static base::Result<CapturedGraph> capture(Gpu& gpu, const Call& call);
  CapturedGraph(CapturedGraph&& other) noexcept;
  CapturedGraph& operator=(CapturedGraph&&) = delete;
  ~CapturedGraph();

  /// Asks for everything again, on the default stream; does not wait.
  ///
  /// errors   as Gpu
  base::Status launch();

  /// Kernels, copies, sets and what else was asked for; more than 0.
  std::size_t num_nodes() const { return num_nodes_; }

 private:
  explicit CapturedGraph(const DriverLibrary& driver) : driver_(&driver) {}
  base::Status record(const Call& call);
  base::Status instantiate();

  const DriverLibrary* driver_;
  DriverLibrary::Handle stream_ = nullptr;
  DriverLibrary::Handle graph_ = nullptr;
  DriverLibrary::Handle executable_ = nullptr;
  std::size_t num_nodes_ = 0;
};

}  // namespace graphnet::device
