// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <set>

#include "device/tensor_device.h"

namespace graphnet::tests {

/// A device in the host's memory: only copies reach it, and its calls run on the processor. A copy
/// that is forgotten shows as a wrong result.
class MirrorDevice final : public device::TensorDevice {
 public:
  base::DeviceName name() const override { return {}; }
  bool is_host() const override { return false; }
  base::Result<void*> allocate(std::size_t num_bytes) override {
    auto memory = host_.allocate(num_bytes);
    if (memory.is_ok()) buffers_.insert(*memory);
    return memory;
  }
  void free(void* memory) override {
    buffers_.erase(memory);
    host_.free(memory);
  }
  base::Status fill(void* to, std::byte value, std::size_t num_bytes) override {
    return host_.fill(to, value, num_bytes);
  }
  base::Status copy_in(void* to, const void* from, std::size_t num_bytes) override {
    bytes_in += num_bytes;
    if (fails_copies) return base::Status(base::Code::kEnvironment, "made-up failure");
    return host_.copy_in(to, from, num_bytes);
  }
  base::Status copy_out(void* to, const void* from, std::size_t num_bytes) override {
    return host_.copy_out(to, from, num_bytes);
  }
  base::Status wait() override { return base::Status::ok(); }
  base::Status run(const std::function<base::Status()>& call) override {
    ++num_runs;
    return call();
  }
  base::Result<double> last_span_ns() const override { return 1000.0 * num_runs; }
  base::Result<device::CapturedGraph> capture(const device::CapturedGraph::Call& call) override {
    return gpu == nullptr ? TensorDevice::capture(call)
                          : device::CapturedGraph::capture(*gpu, call);
  }

  std::size_t num_buffers() const { return buffers_.size(); }

  std::size_t bytes_in = 0;
  bool fails_copies = false;  ///< to the device
  int num_runs = 0;
  device::Gpu* gpu = nullptr;  ///< a made-up one, on which calls are captured

 private:
  device::HostDevice host_;
  std::set<void*> buffers_;
};

}  // namespace graphnet::tests
