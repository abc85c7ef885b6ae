// SPDX-License-Identifier: MIT
#include "device/gpu.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <utility>

#include "base/text.h"

namespace graphnet::device {

using base::Code;
using base::Result;
using base::Status;

namespace {

// Numbers of attributes.
//
// source   CUdevice_attribute
constexpr int kNumProcessors = 16;
constexpr int kL2Bytes = 38;
constexpr int kCapabilityMajor = 75;
constexpr int kCapabilityMinor = 76;

// source   CUresult
constexpr int kOutOfMemory = 2;
constexpr const char* kMemoryUsedUp = "the device's memory is used up";

constexpr std::size_t kMaxNameBytes = 256;
constexpr std::size_t kWordBytes = 4;

std::string stream_text(DriverLibrary::Handle stream) {
  if (stream == nullptr) return "default stream";
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "stream %p", stream);
  return text.data();
}

std::string context_text(const DriverLibrary& driver) {
  if (driver.primary_context == nullptr) return "no context was made";
  DriverLibrary::Handle current = nullptr;
  if (driver.current_context == nullptr) return "";
  if (const int code = driver.current_context(&current); code != 0) {
    return "which context is current is not known: cuCtxGetCurrent gave " + std::to_string(code);
  }
  if (current == driver.primary_context) return "the primary context is current";
  return current == nullptr ? "no context is current in this thread" : "another context is current";
}

std::string memory_text(const DriverLibrary& driver) {
  if (driver.primary_context == nullptr || driver.memory_info == nullptr) return "";
  std::size_t free = 0;
  std::size_t all = 0;
  // After an error of a kernel nothing is told any more.
  if (const int code = driver.memory_info(&free, &all); code != 0) {
    return "free memory is not known: cuMemGetInfo_v2 gave " + std::to_string(code);
  }
  return base::format_bytes(free) + " of " + base::format_bytes(all) + " free";
}

}  // namespace

Status driver_error(const DriverLibrary& driver, int code, const DriverCall& call) {
  const char* name = nullptr;
  if (driver.error_name(code, &name) != 0 || name == nullptr) name = "an unknown error";
  std::vector<std::string> facts;
  if (call.num_bytes) facts.push_back(base::format_bytes(*call.num_bytes));
  if (call.stream) facts.push_back(stream_text(*call.stream));
  for (const std::string& fact : {context_text(driver), memory_text(driver)}) {
    if (!fact.empty()) facts.push_back(fact);
  }
  Status error(Code::kEnvironment, std::string("cannot ") + call.doing + ": " + call.function +
                                       " gave " + name + " (" + std::to_string(code) + ")" +
                                       (facts.empty() ? "" : " [" + base::join(facts, "; ") + "]"));
  if (code == kOutOfMemory) error.add_context(kMemoryUsedUp);
  return error;
}

bool is_device_memory_used_up(const Status& status) {
  const std::vector<std::string>& context = status.context();
  return std::find(context.begin(), context.end(), kMemoryUsedUp) != context.end();
}

GpuBuffer::GpuBuffer(GpuBuffer&& other) noexcept
    : driver_(other.driver_),
      address_(std::exchange(other.address_, 0)),
      num_bytes_(other.num_bytes_) {}

GpuBuffer::~GpuBuffer() {
  if (address_ != 0) driver_->free(address_);
}

Status Gpu::check(int code, const DriverCall& call) const {
  return code == 0 ? Status::ok() : driver_error(driver_, code, call);
}

Result<std::unique_ptr<Gpu>> Gpu::open(int index, const std::string& library) {
  GN_ASSIGN_OR_RETURN(const DriverLibrary driver, open_driver(library));
  std::unique_ptr<Gpu> gpu(new Gpu(driver));
  GN_RETURN_IF_ERROR(gpu->attach(index));
  GN_RETURN_IF_ERROR(gpu->read_facts());
  return gpu;
}

Status Gpu::attach(int index) {
  GN_RETURN_IF_ERROR(check(driver_.init(0), {"cuInit", "start the CUDA driver"}));
  GN_RETURN_IF_ERROR(
      check(driver_.device(&device_, index), {"cuDeviceGet", "find the CUDA device"}));
  DriverLibrary::Handle context = nullptr;
  GN_RETURN_IF_ERROR(check(driver_.retain_context(&context, device_),
                           {"cuDevicePrimaryCtxRetain", "make a CUDA context"}));
  is_attached_ = true;
  driver_.primary_context = context;
  return use_in_thread();
}

Status Gpu::use_in_thread() {
  return check(driver_.set_context(driver_.primary_context),
               {"cuCtxSetCurrent", "use a CUDA context"});
}

Gpu::~Gpu() {
  if (is_attached_) driver_.release_context(device_);
}

Status Gpu::read_facts() {
  std::array<char, kMaxNameBytes> name = {};
  GN_RETURN_IF_ERROR(check(driver_.device_name(name.data(), kMaxNameBytes - 1, device_),
                           {"cuDeviceGetName", "read the CUDA device's name"}));
  facts_.name = name.data();
  std::array<char, kMaxNameBytes> bus = {};
  if (driver_.pci_bus_id(bus.data(), kMaxNameBytes - 1, device_) == 0) {
    facts_.pci_bus_id = bus.data();
  }
  int major = 0;
  int minor = 0;
  int l2_bytes = 0;
  for (const auto& [attribute, value] : {std::pair<int, int*>{kCapabilityMajor, &major},
                                         {kCapabilityMinor, &minor},
                                         {kNumProcessors, &facts_.num_processors},
                                         {kL2Bytes, &l2_bytes}}) {
    GN_RETURN_IF_ERROR(check(driver_.device_attribute(value, attribute, device_),
                             {"cuDeviceGetAttribute", "read an attribute of the CUDA device"}));
  }
  facts_.compute_capability = major * 10 + minor;
  facts_.l2_bytes = static_cast<std::size_t>(l2_bytes);
  return check(driver_.device_memory(&facts_.memory_bytes, device_),
               {"cuDeviceTotalMem_v2", "read the CUDA device's memory size"});
}

Result<std::size_t> Gpu::free_memory() const {
  if (driver_.memory_info == nullptr) return facts_.memory_bytes;
  std::size_t free = 0;
  std::size_t all = 0;
  GN_RETURN_IF_ERROR(check(driver_.memory_info(&free, &all),
                           {"cuMemGetInfo_v2", "read how much memory of the device is free"}));
  return free;
}

Status Gpu::synchronize() {
  return check(driver_.synchronize(), {"cuCtxSynchronize", "wait for the CUDA device"});
}

Result<DriverLibrary::Address> Gpu::allocate_memory(std::size_t num_bytes) {
  DriverLibrary::Address address = 0;
  GN_RETURN_IF_ERROR(check(driver_.allocate(&address, num_bytes),
                           {"cuMemAlloc_v2", "allocate device memory", num_bytes}));
  return address;
}

Result<GpuBuffer> Gpu::allocate(std::size_t num_bytes) {
  GN_ASSIGN_OR_RETURN(const DriverLibrary::Address address, allocate_memory(num_bytes));
  return GpuBuffer(driver_, address, num_bytes);
}

Status Gpu::fill(const GpuBuffer& buffer, std::uint32_t value) {
  return check(driver_.fill(buffer.address(), value, buffer.num_bytes() / kWordBytes, nullptr),
               {"cuMemsetD32Async", "fill device memory", buffer.num_bytes(), nullptr});
}

Status Gpu::fill_bytes(DriverLibrary::Address address, std::uint8_t value, std::size_t num_bytes) {
  return check(driver_.fill_bytes(address, value, num_bytes, nullptr),
               {"cuMemsetD8Async", "fill device memory", num_bytes, nullptr});
}

Status Gpu::copy_in(const GpuBuffer& buffer, const void* from, std::size_t num_bytes) {
  return copy_in(buffer.address(), from, num_bytes);
}

Status Gpu::copy_in(DriverLibrary::Address to, const void* from, std::size_t num_bytes) {
  return check(driver_.copy_in(to, from, num_bytes),
               {"cuMemcpyHtoD_v2", "copy to the device", num_bytes});
}

Status Gpu::copy_out(void* to, const GpuBuffer& buffer, std::size_t num_bytes) {
  return copy_out(to, buffer.address(), num_bytes);
}

Status Gpu::copy_out(void* to, DriverLibrary::Address from, std::size_t num_bytes) {
  return check(driver_.copy_out(to, from, num_bytes),
               {"cuMemcpyDtoH_v2", "copy from the device", num_bytes});
}

Result<DriverLibrary::Handle> Gpu::load_kernel(const void* image, const char* name) {
  DriverLibrary::Handle module = nullptr;
  DriverLibrary::Handle kernel = nullptr;
  GN_RETURN_IF_ERROR(check(driver_.load_module(&module, image),
                           {"cuModuleLoadData", "load code onto the device"}));
  GN_RETURN_IF_ERROR(check(driver_.find_function(&kernel, module, name),
                           {"cuModuleGetFunction", "find a kernel"}));
  return kernel;
}

Status Gpu::launch(DriverLibrary::Handle kernel, unsigned int num_blocks, unsigned int block_size,
                   const std::vector<void*>& arguments, DriverLibrary::Handle stream) {
  std::vector<void*> pointers = arguments;
  return check(driver_.launch(kernel, num_blocks, 1, 1, block_size, 1, 1, 0, stream,
                              pointers.data(), nullptr),
               {"cuLaunchKernel", "launch a kernel", {}, stream});
}

Status Gpu::reset_persisting_l2() {
  return check(driver_.reset_persisting_l2(),
               {"cuCtxResetPersistingL2Cache", "reset the L2 cache"});
}

}  // namespace graphnet::device
