// SPDX-License-Identifier: MIT
#include "tensorrt/cuda_memory.h"

#include <dlfcn.h>

#include "graphnet/abi.h"
#include "graphnet/failure.h"

namespace graphnet::tensorrt {

namespace {

template <typename Function>
void load(void* handle, const std::string& library, const char* name, Function& function) {
  if (handle != nullptr) function = reinterpret_cast<Function>(::dlsym(handle, name));
  if (function == nullptr) {
    throw Failure(GN_STATUS_UNAVAILABLE, "no CUDA driver: '" + library + "' has no " + name);
  }
}

void check(int code, std::uint32_t status, const char* doing) {
  if (code == 0) return;
  throw Failure(status, std::string("CUDA cannot ") + doing + ": error " + std::to_string(code));
}

}  // namespace

CudaMemory::CudaMemory(const std::string& library) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  // source   cuda.h of CUDA 13.0; the suffixes are what its macros add
  load(handle, library, "cuMemcpyDtoH_v2", to_host_);
  load(handle, library, "cuMemcpyHtoD_v2", to_device_);
  load(handle, library, "cuMemAlloc_v2", allocate_);
  load(handle, library, "cuMemFree_v2", free_);
}

void CudaMemory::to_host(void* to, const void* from, std::size_t num_bytes) const {
  if (num_bytes == 0) return;
  check(to_host_(to, reinterpret_cast<Address>(from), num_bytes), GN_STATUS_RUNTIME_FAILED,
        "read a weight");
}

void CudaMemory::to_device(void* to, const void* from, std::size_t num_bytes) const {
  if (num_bytes == 0) return;
  check(to_device_(reinterpret_cast<Address>(to), from, num_bytes), GN_STATUS_RUNTIME_FAILED,
        "write what bind computed");
}

void* CudaMemory::allocate(std::size_t num_bytes) const {
  Address memory = 0;
  check(allocate_(&memory, num_bytes), GN_STATUS_OUT_OF_MEMORY, "allocate what bind computed");
  return reinterpret_cast<void*>(memory);
}

void CudaMemory::free(void* memory) const noexcept {
  free_(reinterpret_cast<Address>(memory));
}

}  // namespace graphnet::tensorrt
