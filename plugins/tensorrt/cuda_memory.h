// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

namespace graphnet::tensorrt {

/// Copies between host and device, and memory of the device, through the driver, which is opened by
/// name. All of it is of the context that is current, which is the host's.
class CudaMemory {
 public:
  /// errors   UNAVAILABLE: there is no driver
  explicit CudaMemory(const std::string& library = "libcuda.so.1");

  /// Both wait for the copy.
  ///
  /// errors   RUNTIME_FAILED
  void to_host(void* to, const void* from, std::size_t num_bytes) const;
  void to_device(void* to, const void* from, std::size_t num_bytes) const;
  /// errors   OUT_OF_MEMORY
  void* allocate(std::size_t num_bytes) const;
  void free(void* memory) const noexcept;

 private:
  using Address = unsigned long long;
  int (*to_host_)(void* to, Address from, std::size_t num_bytes) = nullptr;
  int (*to_device_)(Address to, const void* from, std::size_t num_bytes) = nullptr;
  int (*allocate_)(Address* memory, std::size_t num_bytes) = nullptr;
  int (*free_)(Address memory) = nullptr;
};

}  // namespace graphnet::tensorrt
