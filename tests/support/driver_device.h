// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "device/tensor_device.h"

namespace graphnet::tests {

/// The made-up driver's device under the processor's name: its memory is the host's, so a libtorch
/// without CUDA computes there, and everything that the worker asks of a device asks the driver.
class DriverDevice final : public device::TensorDevice {
 public:
  static base::Result<std::unique_ptr<device::TensorDevice>> create(device::Gpu& gpu) {
    GN_ASSIGN_OR_RETURN(auto device, device::GpuDevice::create(gpu, 0));
    return std::unique_ptr<device::TensorDevice>(new DriverDevice(std::move(device)));
  }

  base::DeviceName name() const override { return {}; }
  bool is_host() const override { return false; }
  base::Result<void*> allocate(std::size_t num_bytes) override {
    return device_->allocate(num_bytes);
  }
  void free(void* memory) override { device_->free(memory); }
  base::Status fill(void* to, std::byte value, std::size_t num_bytes) override {
    return device_->fill(to, value, num_bytes);
  }
  base::Status copy_in(void* to, const void* from, std::size_t num_bytes) override {
    return device_->copy_in(to, from, num_bytes);
  }
  base::Status copy_out(void* to, const void* from, std::size_t num_bytes) override {
    return device_->copy_out(to, from, num_bytes);
  }
  base::Status wait() override { return device_->wait(); }
  base::Status run(const std::function<base::Status()>& call) override {
    return device_->run(call);
  }
  base::Result<double> last_span_ns() const override { return device_->last_span_ns(); }
  base::Result<device::CapturedGraph> capture(const device::CapturedGraph::Call& call) override {
    return device_->capture(call);
  }

 private:
  explicit DriverDevice(std::unique_ptr<device::GpuDevice> device) : device_(std::move(device)) {}

  std::unique_ptr<device::GpuDevice> device_;
};

}  // namespace graphnet::tests
