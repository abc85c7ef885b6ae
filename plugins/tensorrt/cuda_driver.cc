// SPDX-License-Identifier: MIT
#include "tensorrt/cuda_driver.h"

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

CudaDriver::CudaDriver(const std::string& library) : file_(library) {
  void* const handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  // source   cuda.h of CUDA 13.0; the suffixes are what its macros add
  load(handle, library, "cuMemcpyDtoH_v2", to_host_);
  load(handle, library, "cuMemcpyHtoD_v2", to_device_);
  load(handle, library, "cuMemAlloc_v2", allocate_);
  load(handle, library, "cuMemFree_v2", free_);
  load(handle, library, "cuStreamCreate", make_stream_);
  load(handle, library, "cuStreamDestroy_v2", destroy_stream_);
  load(handle, library, "cuStreamSynchronize", wait_);
  load(handle, library, "cuStreamIsCapturing", is_captured_);
  load(handle, library, "cuCtxGetDevice", current_device_);
  load(handle, library, "cuDeviceGetName", name_);
  load(handle, library, "cuDeviceGetAttribute", attribute_);
}

void CudaDriver::to_host(void* to, const void* from, std::size_t num_bytes) const {
  if (num_bytes == 0) return;
  check(to_host_(to, reinterpret_cast<Address>(from), num_bytes), GN_STATUS_RUNTIME_FAILED,
        "read a weight");
}

void CudaDriver::to_device(void* to, const void* from, std::size_t num_bytes) const {
  if (num_bytes == 0) return;
  check(to_device_(reinterpret_cast<Address>(to), from, num_bytes), GN_STATUS_RUNTIME_FAILED,
        "write what bind computed");
}

void* CudaDriver::allocate(std::size_t num_bytes) const {
  Address memory = 0;
  check(allocate_(&memory, num_bytes), GN_STATUS_OUT_OF_MEMORY, "allocate what bind computed");
  return reinterpret_cast<void*>(memory);
}

void CudaDriver::free(void* memory) const noexcept {
  free_(reinterpret_cast<Address>(memory));
}

void* CudaDriver::make_stream() const {
  constexpr unsigned int kWaitsForTheDefaultStream = 0;
  void* stream = nullptr;
  check(make_stream_(&stream, kWaitsForTheDefaultStream), GN_STATUS_RUNTIME_FAILED,
        "make a stream");
  return stream;
}

void CudaDriver::destroy_stream(void* stream) const noexcept {
  if (stream != nullptr) destroy_stream_(stream);
}

void CudaDriver::wait(void* stream) const {
  check(wait_(stream), GN_STATUS_RUNTIME_FAILED, "finish a call");
}

bool CudaDriver::is_captured(void* stream) const {
  int state = 0;
  check(is_captured_(stream, &state), GN_STATUS_RUNTIME_FAILED, "say whether a call is captured");
  return state != 0;
}

int CudaDriver::attribute(int which, int device) const {
  int value = 0;
  check(attribute_(&value, which, device), GN_STATUS_RUNTIME_FAILED, "say what the device is");
  return value;
}

// A part of a device (MIG) has its whole's name, and fewer multiprocessors.
std::string CudaDriver::device() const {
  // source   CUdevice_attribute of cuda.h
  constexpr int kMultiprocessors = 16;
  constexpr int kMajor = 75;
  constexpr int kMinor = 76;
  int device = 0;
  check(current_device_(&device), GN_STATUS_RUNTIME_FAILED, "say which device is current");
  char name[256] = {};
  check(name_(name, sizeof(name) - 1, device), GN_STATUS_RUNTIME_FAILED, "name the device");
  return std::string(name) + ", compute capability " + std::to_string(attribute(kMajor, device)) +
         "." + std::to_string(attribute(kMinor, device)) + ", " +
         std::to_string(attribute(kMultiprocessors, device)) + " multiprocessors";
}

}  // namespace graphnet::tensorrt
