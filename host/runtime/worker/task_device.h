// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "device/tensor_device.h"
#include "journal/worker_message.h"
#include "measure/instruments.h"
#include "proof/cupti_session.h"

namespace graphnet::worker {

/// The error of a device that cannot be used, kEnvironment with the reason.
base::Status unusable(base::DeviceName device, const base::Status& why);

/// How CUPTI is started: libtorch's own copy if there is one. It is opened, so that another one
/// that is mapped later is not taken for it, and not started.
proof::CuptiSession::Settings tracing_settings();

/// What a device says of itself: {"name", "compute_capability", "processors", "memory_bytes",
/// "l2_bytes"}.
base::Json facts_json(const device::GpuFacts& facts);

/// The device that a task runs on.
class TaskDevice {
 public:
  /// For the CPU there is nothing to do. For a CUDA device: adds the CUDA part to libtorch, which
  /// must come before anything else that the process asks of libtorch, and opens the device.
  ///
  /// errors   kEnvironment: it cannot be used; kInput: no name of a device
  static base::Result<std::unique_ptr<TaskDevice>> open(const journal::Task& task);

  /// The same on a driver that is named and without libtorch, for tests.
  static base::Result<std::unique_ptr<TaskDevice>> open_driver(
      base::DeviceName name, const std::string& library,
      const proof::CuptiSession::Settings& tracing = {});

  /// Puts another device in the place of the one that holds tensors, for tests: one on which a
  /// libtorch without CUDA computes.
  void replace_tensors(std::unique_ptr<device::TensorDevice> tensors) {
    tensors_ = std::move(tensors);
  }

  bool is_cuda() const { return gpu_ != nullptr; }
  device::TensorDevice& tensors() { return tensors_ ? *tensors_ : device::host_device(); }
  /// Null on the CPU.
  device::Gpu* gpu() { return gpu_.get(); }

  /// measure::machine_instruments(), with the device's cache in place of the processor's.
  ///
  /// errors   kUnsupported: cold caches without kernels of the host's own; kEnvironment
  base::Result<measure::Instruments> instruments(const measure::PairedSettings& settings,
                                                 int threads);
  /// Why the device's cache was not cleared at some time: what was timed then was not cold.
  const base::Status& flush_status() const { return *flush_status_; }
  /// Notes clocks and the like under a name, for describe(); nothing on the CPU.
  void note_conditions(const char* when);
  /// Adds to a record's environment `gpu` {"name", "compute_capability", "processors",
  /// "memory_bytes", "l2_bytes", "tf32" (whether it is allowed), and what was noted, as in
  /// device/gpu_conditions.h}, and puts the device's name before the hardware class; nothing on the
  /// CPU.
  void describe(base::Json& environment) const;

  /// How the device is traced.
  const proof::CuptiSession::Settings& tracing() const { return tracing_; }

 private:
  TaskDevice() = default;
  base::Status attach(int index, const std::string& library);

  std::unique_ptr<device::Gpu> gpu_;
  std::unique_ptr<device::TensorDevice> tensors_;
  proof::CuptiSession::Settings tracing_;
  std::shared_ptr<base::Status> flush_status_ = std::make_shared<base::Status>();
  bool allows_tf32_ = false;
  base::Json conditions_ = base::Json::object();
};

/// How a session comes to the device of its task; errors as TaskDevice::open().
using OpenDevice =
    std::function<base::Result<std::unique_ptr<TaskDevice>>(const journal::Task& task)>;

}  // namespace graphnet::worker
