// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "device/tensor_device.h"
#include "sample/arguments.h"

namespace graphnet::worker {

/// The arguments of a sample as its calls read them: on the host the generated ones themselves, on
/// another device copies of them, each between guards. The host's arguments are the originals:
/// whoever changes them calls update().
class DeviceArguments {
 public:
  /// Copies what the arguments hold now. Both are borrowed; `arguments` must not be resized.
  ///
  /// errors   kEnvironment: not enough memory on the device
  static base::Result<DeviceArguments> create(device::TensorDevice& device,
                                              std::vector<sample::Argument>& arguments);

  device::TensorDevice& device() const { return *device_; }
  std::vector<sample::Argument>& host() const { return *arguments_; }
  /// Where the calls find argument `index`.
  void* data(std::size_t index) const;

  /// Copies all of an argument, or some bytes of it, from the host to the device.
  base::Status update(std::size_t index) const;
  base::Status update(std::size_t index, std::size_t first_byte, std::size_t num_bytes) const;
  base::Status update_all() const;

  /// The failure of a copy whose argument has not been copied whole since: the device may hold
  /// other content than the host then, and no result there is the plugin's fault. OK if there is
  /// none.
  base::Status failed_copy() const;

  /// Whether the device holds the same bytes as the host, and the guards of the copy. Not for the
  /// host itself.
  base::Result<bool> is_same(std::size_t index) const;
  base::Result<base::AlignedBuffer::Damage> damage(std::size_t index) const;

 private:
  DeviceArguments(device::TensorDevice& device, std::vector<sample::Argument>& arguments)
      : device_(&device), arguments_(&arguments) {}

  device::TensorDevice* device_;
  std::vector<sample::Argument>* arguments_;
  std::vector<device::DeviceBuffer> copies_;  // none on the host
  mutable std::vector<base::Status> failed_;  // of each copy: the host's content is the original
};

}  // namespace graphnet::worker
