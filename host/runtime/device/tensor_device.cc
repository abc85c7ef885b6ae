// SPDX-License-Identifier: MIT
#include "device/tensor_device.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

namespace graphnet::device {

using base::AlignedBuffer;
using base::Code;
using base::Result;
using base::Status;

namespace {

// So that whole buffers need not be copied at once.
constexpr std::size_t kLookBytes = std::size_t{1} << 20U;

bool all_are(const std::byte* begin, std::size_t num_bytes, std::byte value) {
  return std::all_of(begin, begin + num_bytes, [&](std::byte byte) { return byte == value; });
}

DriverLibrary::Address address_of(const void* memory) {
  return reinterpret_cast<DriverLibrary::Address>(memory);
}

}  // namespace

Result<CapturedGraph> TensorDevice::capture(const CapturedGraph::Call&) {
  return Status(Code::kUnsupported, "calls on '" + name().text() + "' cannot be captured");
}

Result<double> TensorDevice::last_span_ns() const {
  return Status(Code::kUnsupported, "'" + name().text() + "' has no clock of its own");
}

Result<void*> HostDevice::allocate(std::size_t num_bytes) {
  constexpr std::size_t kAlignment = AlignedBuffer::kAlignment;
  const std::size_t rounded = (num_bytes + kAlignment - 1) / kAlignment * kAlignment;
  void* const memory =
      rounded < num_bytes ? nullptr : std::aligned_alloc(kAlignment, std::max(rounded, kAlignment));
  if (memory == nullptr) return Status(Code::kEnvironment, "not enough memory");
  return memory;
}

void HostDevice::free(void* memory) {
  std::free(memory);
}

Status HostDevice::fill(void* to, std::byte value, std::size_t num_bytes) {
  std::memset(to, static_cast<int>(value), num_bytes);
  return Status::ok();
}

Status HostDevice::copy_in(void* to, const void* from, std::size_t num_bytes) {
  if (num_bytes > 0) std::memcpy(to, from, num_bytes);
  return Status::ok();
}

Status HostDevice::copy_out(void* to, const void* from, std::size_t num_bytes) {
  return copy_in(to, from, num_bytes);
}

TensorDevice& host_device() {
  static HostDevice device;
  return device;
}

Result<std::unique_ptr<GpuDevice>> GpuDevice::create(Gpu& gpu, int index) {
  GN_ASSIGN_OR_RETURN(GpuTimer timer, GpuTimer::create(gpu));
  return std::unique_ptr<GpuDevice>(new GpuDevice(gpu, index, std::move(timer)));
}

Result<void*> GpuDevice::allocate(std::size_t num_bytes) {
  GN_ASSIGN_OR_RETURN(const auto address,
                      gpu_.allocate_memory(std::max<std::size_t>(1, num_bytes)));
  return reinterpret_cast<void*>(address);
}

void GpuDevice::free(void* memory) {
  gpu_.driver().free(address_of(memory));
}

Status GpuDevice::fill(void* to, std::byte value, std::size_t num_bytes) {
  if (num_bytes == 0) return Status::ok();
  GN_RETURN_IF_ERROR(gpu_.fill_bytes(address_of(to), static_cast<std::uint8_t>(value), num_bytes));
  return gpu_.synchronize();
}

Status GpuDevice::copy_in(void* to, const void* from, std::size_t num_bytes) {
  if (num_bytes == 0) return Status::ok();
  GN_RETURN_IF_ERROR(gpu_.copy_in(address_of(to), from, num_bytes));
  // The driver returns when it has read pageable memory, not when the device has been written to.
  return gpu_.synchronize();
}

Status GpuDevice::copy_out(void* to, const void* from, std::size_t num_bytes) {
  return num_bytes == 0 ? Status::ok() : gpu_.copy_out(to, address_of(from), num_bytes);
}

Result<DeviceBuffer> DeviceBuffer::allocate(TensorDevice& device, std::size_t num_bytes) {
  constexpr std::size_t kGuards = 2 * AlignedBuffer::kGuardBytes;
  if (num_bytes > static_cast<std::size_t>(-1) / 2) {
    return Status(Code::kEnvironment, "not enough memory");
  }
  GN_ASSIGN_OR_RETURN(void* const memory, device.allocate(num_bytes + kGuards));
  DeviceBuffer buffer(device, static_cast<std::byte*>(memory), num_bytes);
  GN_RETURN_IF_ERROR(
      device.fill(buffer.memory_, AlignedBuffer::kGuardByte, AlignedBuffer::kGuardBytes));
  GN_RETURN_IF_ERROR(device.fill(static_cast<std::byte*>(buffer.data()) + num_bytes,
                                 AlignedBuffer::kGuardByte, AlignedBuffer::kGuardBytes));
  return buffer;
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : device_(other.device_),
      memory_(std::exchange(other.memory_, nullptr)),
      num_bytes_(std::exchange(other.num_bytes_, 0)) {}

DeviceBuffer::~DeviceBuffer() {
  if (memory_ != nullptr) device_->free(memory_);
}

Status DeviceBuffer::fill(std::byte value) const {
  return device_->fill(data(), value, num_bytes_);
}

Result<bool> DeviceBuffer::holds_only(std::byte value) const {
  const auto* next = static_cast<const std::byte*>(data());
  if (device_->is_host()) return num_bytes_ > 0 && all_are(next, num_bytes_, value);
  std::vector<std::byte> copy(std::min(num_bytes_, kLookBytes));
  for (std::size_t left = num_bytes_; left > 0;) {
    const std::size_t size = std::min(left, kLookBytes);
    GN_RETURN_IF_ERROR(device_->copy_out(copy.data(), next, size));
    if (!all_are(copy.data(), size, value)) return false;
    next += size;
    left -= size;
  }
  return num_bytes_ > 0;
}

Result<bool> DeviceBuffer::is_whole(const std::byte* guard) const {
  std::array<std::byte, AlignedBuffer::kGuardBytes> copy = {};
  GN_RETURN_IF_ERROR(device_->copy_out(copy.data(), guard, copy.size()));
  return all_are(copy.data(), copy.size(), AlignedBuffer::kGuardByte);
}

Result<DeviceBuffer::Damage> DeviceBuffer::damage() const {
  GN_ASSIGN_OR_RETURN(const bool before, is_whole(memory_));
  if (!before) return Damage::kBefore;
  GN_ASSIGN_OR_RETURN(const bool behind,
                      is_whole(static_cast<const std::byte*>(data()) + num_bytes_));
  return behind ? Damage::kNone : Damage::kBehind;
}

}  // namespace graphnet::device
