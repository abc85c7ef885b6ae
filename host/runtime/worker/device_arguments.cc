// SPDX-License-Identifier: MIT
#include "worker/device_arguments.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace graphnet::worker {

using base::Result;
using base::Status;

namespace {

constexpr std::size_t kLookBytes = std::size_t{1} << 20U;

}  // namespace

Result<DeviceArguments> DeviceArguments::create(device::TensorDevice& device,
                                                std::vector<sample::Argument>& arguments) {
  DeviceArguments on_device(device, arguments);
  if (device.is_host()) return on_device;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    auto copy = device::DeviceBuffer::allocate(device, arguments[i].bytes.num_bytes());
    if (!copy.is_ok()) {
      return std::move(copy).status().add_context("argument '" + arguments[i].name + "'");
    }
    on_device.copies_.push_back(std::move(copy).value());
    on_device.failed_.emplace_back();
    GN_RETURN_IF_ERROR(on_device.update(i));
  }
  return on_device;
}

void* DeviceArguments::data(std::size_t index) const {
  return device_->is_host() ? (*arguments_)[index].bytes.data() : copies_[index].data();
}

Status DeviceArguments::update(std::size_t index) const {
  return update(index, 0, (*arguments_)[index].bytes.num_bytes());
}

Status DeviceArguments::update(std::size_t index, std::size_t first_byte,
                               std::size_t num_bytes) const {
  if (device_->is_host()) return Status::ok();
  const base::AlignedBuffer& host = (*arguments_)[index].bytes;
  Status copied = device_->copy_in(static_cast<std::byte*>(copies_[index].data()) + first_byte,
                                   host.data() + first_byte, num_bytes);
  if (!copied.is_ok() || num_bytes == host.num_bytes()) failed_[index] = copied;
  return copied;
}

Status DeviceArguments::update_all() const {
  for (std::size_t i = 0; i < copies_.size(); ++i) GN_RETURN_IF_ERROR(update(i));
  return Status::ok();
}

Status DeviceArguments::failed_copy() const {
  for (const Status& failed : failed_) GN_RETURN_IF_ERROR(failed);
  return Status::ok();
}

Result<bool> DeviceArguments::is_same(std::size_t index) const {
  const base::AlignedBuffer& host = (*arguments_)[index].bytes;
  const auto* const data = static_cast<const std::byte*>(copies_[index].data());
  std::vector<std::byte> look(std::min(host.num_bytes(), kLookBytes));
  for (std::size_t at = 0; at < host.num_bytes(); at += look.size()) {
    const std::size_t size = std::min(look.size(), host.num_bytes() - at);
    GN_RETURN_IF_ERROR(device_->copy_out(look.data(), data + at, size));
    if (std::memcmp(look.data(), host.data() + at, size) != 0) return false;
  }
  return true;
}

Result<base::AlignedBuffer::Damage> DeviceArguments::damage(std::size_t index) const {
  return copies_[index].damage();
}

}  // namespace graphnet::worker
