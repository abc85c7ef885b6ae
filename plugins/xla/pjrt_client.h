// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>

#include "xla/pjrt_library.h"
#include "xla/tensor_type.h"

namespace graphnet::xla {

/// Sets what XLA reads from the environment: the size of its thread pools, which log lines it
/// writes (on a GPU all, which say what its errors do not: a driver that refuses, a tool that is
/// missing; the host keeps the last ones of a sample that failed), and no XLA_FLAGS, because an
/// unknown flag there ends the process. To be called before a library is opened.
///
/// returns  the XLA_FLAGS that were removed; empty if there were none
std::string set_xla_environment(std::int32_t num_threads, bool is_gpu = false);

/// PJRT's client for one device: the CPU, with thread pools, or a CUDA device.
class PjrtClient {
 public:
  /// Executions run on the calling thread where the library can do that (0.115), its own pool
  /// threads take part as far as the environment allows.
  ///
  /// errors   UNAVAILABLE
  explicit PjrtClient(const PjrtLibrary& library, DLDevice device = {kDLCPU, 0});
  PjrtClient(const PjrtClient&) = delete;
  PjrtClient& operator=(const PjrtClient&) = delete;
  ~PjrtClient();

  const PjrtLibrary& library() const { return library_; }
  pjrt::Client* handle() const { return handle_; }
  /// SHA-256 of the library's file; read at the first call.
  const std::string& file_sha256() const;

  /// Arguments of PJRT_Client_BufferFromHostBuffer for dense memory; `type` must outlive them.
  pjrt::BufferFromHostBufferArgs buffer_args(const TensorType& type, const void* data,
                                             pjrt::HostBufferSemantics semantics) const;

  /// Where tensors lie that the client is given.
  DLDevice device() const { return tensor_device_; }
  bool is_gpu() const { return tensor_device_.device_type != kDLCPU; }

  /// A buffer over `data`, read in place where PJRT can do that, else a copy; on a CUDA device
  /// always in place.
  ///
  /// errors   OUT_OF_MEMORY, RUNTIME_FAILED
  OwnedBuffer make_buffer(const TensorType& type, const void* data,
                          pjrt::HostBufferSemantics semantics) const;

  /// Where the bytes of a buffer are.
  void* data(pjrt::Buffer* buffer) const;

  /// A buffer over memory of the device itself, which must outlive it.
  ///
  /// errors   OUT_OF_MEMORY, RUNTIME_FAILED
  OwnedBuffer view(const TensorType& type, void* data) const;

  /// Waits for the event and destroys it; null is done.
  ///
  /// errors   what became of the work, as `code`
  void await(pjrt::Event* event, std::uint32_t code, const char* doing) const;

 private:
  PjrtLibrary library_;
  pjrt::Client* handle_ = nullptr;
  pjrt::Device* device_ = nullptr;
  DLDevice tensor_device_;
  mutable std::string file_sha256_;
};

}  // namespace graphnet::xla
