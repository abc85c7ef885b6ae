// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

namespace graphnet::xla {

/// Copies from memory of a CUDA device to memory of the same device, through the driver, which is
/// opened by name.
class DeviceCopy {
 public:
  /// errors   UNAVAILABLE: there is no driver
  explicit DeviceCopy(const std::string& library = "libcuda.so.1");

  /// Does not wait for the copy; `stream` is null for the default one.
  ///
  /// errors   RUNTIME_FAILED
  void copy(void* to, const void* from, std::size_t num_bytes, void* stream) const;

 private:
  using Copy = int (*)(unsigned long long to, unsigned long long from, std::size_t num_bytes,
                       void* stream);
  Copy copy_;
};

}  // namespace graphnet::xla
