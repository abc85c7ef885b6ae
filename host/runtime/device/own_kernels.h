// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <utility>

#include "base/result.h"
#include "device/gpu.h"

namespace graphnet::device {

/// The host's own kernels (kernels.cu), for sm_90 and as PTX for what is newer:
///
/// | kernel               | for                                                                  |
/// |----------------------|----------------------------------------------------------------------|
/// | `graphnet_self_test` | work whose result is known: does a tracer see it?                    |
/// | `graphnet_delay`     | a stream that is kept busy while work is launched, so that the time  |
/// |                      | between two events holds the work and not the launching              |
/// | `graphnet_flush`     | an L2 cache without what earlier calls left in it                    |
///
/// Null if this program was built without nvcc.
const void* own_kernels();

/// The kernel `graphnet_self_test`, with memory of its own.
class SelfTestKernel {
 public:
  static constexpr const char* kName = "graphnet_self_test";

  /// errors   kUnsupported: built without nvcc; else as Gpu
  static base::Result<SelfTestKernel> create(Gpu& gpu);

  /// Makes the memory worthless, and waits until it is.
  base::Status clear();
  /// Does not wait for the device. On the default stream if `stream` is null.
  base::Status launch(DriverLibrary::Handle stream = nullptr);
  /// Waits for the device.
  ///
  /// errors   kInternal: it holds something else than the kernel writes; else as Gpu
  base::Status check();

 private:
  SelfTestKernel(Gpu& gpu, GpuBuffer buffer, DriverLibrary::Handle kernel)
      : gpu_(&gpu), buffer_(std::move(buffer)), kernel_(kernel) {}

  Gpu* gpu_;
  GpuBuffer buffer_;
  DriverLibrary::Handle kernel_;
};

/// One fill and one kernel whose result is compared, on the default stream.
///
/// errors   kUnsupported: built without nvcc; kInternal: the result is wrong; else as Gpu
base::Status run_self_test(Gpu& gpu);

/// Clears the L2 cache by writing to memory of twice its size.
class CacheFlush {
 public:
  /// errors   kUnsupported: built without nvcc; else as Gpu
  static base::Result<CacheFlush> create(Gpu& gpu);

  /// Lines that were pinned in the cache are released first. Does not wait for the device.
  base::Status run(Gpu& gpu);

  std::size_t num_bytes() const { return buffer_.num_bytes(); }

 private:
  CacheFlush(GpuBuffer buffer, DriverLibrary::Handle kernel)
      : buffer_(std::move(buffer)), kernel_(kernel) {}

  GpuBuffer buffer_;
  DriverLibrary::Handle kernel_;
  std::uint32_t value_ = 0;
};

}  // namespace graphnet::device
