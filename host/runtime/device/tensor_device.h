// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "base/aligned_buffer.h"
#include "base/device_name.h"
#include "base/result.h"
#include "device/captured_graph.h"
#include "device/gpu.h"
#include "device/gpu_timer.h"

namespace graphnet::device {

/// The device whose memory holds the tensors of a sample's calls. Only this class knows how bytes
/// get there from the host and back, and when a call's work is done.
///
/// units    bytes
/// errors   of all functions: kEnvironment; of run() also the call's own
class TensorDevice {
 public:
  virtual ~TensorDevice() = default;

  /// What plugin and engine are told.
  virtual base::DeviceName name() const = 0;
  /// True if calls read and write memory of the host itself: nothing needs to be copied then.
  virtual bool is_host() const = 0;

  /// Uninitialised memory, aligned to 256 bytes; give it back by free().
  virtual base::Result<void*> allocate(std::size_t num_bytes) = 0;
  virtual void free(void* memory) = 0;
  virtual base::Status fill(void* to, std::byte value, std::size_t num_bytes) = 0;
  virtual base::Status copy_in(void* to, const void* from, std::size_t num_bytes) = 0;
  virtual base::Status copy_out(void* to, const void* from, std::size_t num_bytes) = 0;

  /// Waits until all work that was given to the device is done.
  virtual base::Status wait() = 0;
  /// Makes one call and waits until its results can be read; timed calls are timed around this.
  virtual base::Status run(const std::function<base::Status()>& call) = 0;
  /// Duration of the last run() by the device's own clock, in nanoseconds.
  ///
  /// errors   kUnsupported: the host has no such clock
  virtual base::Result<double> last_span_ns() const;

  /// Captures the work that a call puts on the given stream; CapturedGraph::launch() repeats it.
  /// The capture itself does none of it.
  ///
  /// errors   kUnsupported: the device cannot capture; else as CapturedGraph::capture()
  virtual base::Result<CapturedGraph> capture(const CapturedGraph::Call& call);
};

/// Memory of the host.
class HostDevice final : public TensorDevice {
 public:
  base::DeviceName name() const override { return {}; }
  bool is_host() const override { return true; }
  base::Result<void*> allocate(std::size_t num_bytes) override;
  void free(void* memory) override;
  base::Status fill(void* to, std::byte value, std::size_t num_bytes) override;
  base::Status copy_in(void* to, const void* from, std::size_t num_bytes) override;
  base::Status copy_out(void* to, const void* from, std::size_t num_bytes) override;
  base::Status wait() override { return base::Status::ok(); }
  base::Status run(const std::function<base::Status()>& call) override { return call(); }
};

/// The host of this process.
TensorDevice& host_device();

/// Memory of a CUDA device, through the driver. Copies and sets go to the default stream, as the
/// calls of libtorch do, and are complete when they return: a plugin's stream may be one that does
/// not wait for the default one.
class GpuDevice final : public TensorDevice {
 public:
  /// `gpu` is borrowed; `index` is the number under which it was opened.
  static base::Result<std::unique_ptr<GpuDevice>> create(Gpu& gpu, int index);

  base::DeviceName name() const override { return {true, index_}; }
  bool is_host() const override { return false; }
  base::Result<void*> allocate(std::size_t num_bytes) override;
  void free(void* memory) override;
  base::Status fill(void* to, std::byte value, std::size_t num_bytes) override;
  base::Status copy_in(void* to, const void* from, std::size_t num_bytes) override;
  base::Status copy_out(void* to, const void* from, std::size_t num_bytes) override;
  base::Status wait() override { return gpu_.synchronize(); }
  base::Status run(const std::function<base::Status()>& call) override {
    return timer_.span(gpu_, call);
  }
  base::Result<double> last_span_ns() const override { return timer_.span_ns(); }
  base::Result<CapturedGraph> capture(const CapturedGraph::Call& call) override {
    return CapturedGraph::capture(gpu_, call);
  }

 private:
  GpuDevice(Gpu& gpu, int index, GpuTimer timer)
      : gpu_(gpu), index_(index), timer_(std::move(timer)) {}

  Gpu& gpu_;
  int index_;
  GpuTimer timer_;
};

/// Memory for one tensor on a device, aligned to 256 bytes between two guards, as
/// base::AlignedBuffer has them on the host.
class DeviceBuffer {
 public:
  using Damage = base::AlignedBuffer::Damage;

  /// errors   kEnvironment: not enough memory
  static base::Result<DeviceBuffer> allocate(TensorDevice& device, std::size_t num_bytes);
  DeviceBuffer(DeviceBuffer&& other) noexcept;
  DeviceBuffer& operator=(DeviceBuffer&&) = delete;
  ~DeviceBuffer();

  /// Not null, even if it is empty.
  void* data() const { return memory_ + base::AlignedBuffer::kGuardBytes; }
  std::size_t num_bytes() const { return num_bytes_; }
  base::Status fill(std::byte value) const;
  /// True if every byte is `value`, and there is one.
  base::Result<bool> holds_only(std::byte value) const;
  /// Which guard was written to.
  base::Result<Damage> damage() const;

 private:
  DeviceBuffer(TensorDevice& device, std::byte* memory, std::size_t num_bytes)
      : device_(&device), memory_(memory), num_bytes_(num_bytes) {}
  base::Result<bool> is_whole(const std::byte* guard) const;

  TensorDevice* device_;
  std::byte* memory_;  // of the guard before the data
  std::size_t num_bytes_;
};

}  // namespace graphnet::device
