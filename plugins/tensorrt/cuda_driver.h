// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>

namespace graphnet::tensorrt {

/// The CUDA driver, which is opened by name, as far as this plugin calls it itself: copies, memory
/// and what the device is. All of it is of the context that is current, which is the host's.
class CudaDriver {
 public:
  /// errors   UNAVAILABLE: there is no driver
  explicit CudaDriver(const std::string& library = "libcuda.so.1");

  const std::string& file() const { return file_; }

  /// Both wait for the copy.
  ///
  /// errors   RUNTIME_FAILED
  void to_host(void* to, const void* from, std::size_t num_bytes) const;
  void to_device(void* to, const void* from, std::size_t num_bytes) const;
  /// errors   OUT_OF_MEMORY
  void* allocate(std::size_t num_bytes) const;
  void free(void* memory) const noexcept;

  /// A stream that begins what it is given behind what the default stream was given before, and
  /// before which the default stream waits: work on it needs no further synchronisation.
  ///
  /// errors   RUNTIME_FAILED
  void* make_stream() const;
  void destroy_stream(void* stream) const noexcept;
  /// For all that a stream was given.
  ///
  /// errors   RUNTIME_FAILED: of that work, too
  void wait(void* stream) const;
  /// Whether calls on it are recorded in a graph, and not run.
  ///
  /// errors   RUNTIME_FAILED
  bool is_captured(void* stream) const;

  /// What an engine is built for: "NVIDIA L4, compute capability 8.9, 58 multiprocessors".
  ///
  /// errors   RUNTIME_FAILED: no context is current
  std::string device() const;

 private:
  using Address = unsigned long long;
  int attribute(int which, int device) const;

  std::string file_;
  int (*to_host_)(void* to, Address from, std::size_t num_bytes) = nullptr;
  int (*to_device_)(Address to, const void* from, std::size_t num_bytes) = nullptr;
  int (*allocate_)(Address* memory, std::size_t num_bytes) = nullptr;
  int (*free_)(Address memory) = nullptr;
  int (*make_stream_)(void** stream, unsigned int flags) = nullptr;
  int (*destroy_stream_)(void* stream) = nullptr;
  int (*wait_)(void* stream) = nullptr;
  int (*is_captured_)(void* stream, int* state) = nullptr;
  int (*current_device_)(int* device) = nullptr;
  int (*name_)(char* name, int size, int device) = nullptr;
  int (*attribute_)(int* value, int which, int device) = nullptr;
};

}  // namespace graphnet::tensorrt
