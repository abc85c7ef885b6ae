// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "device/tensor_place.h"
#include "sample/replay.h"

namespace graphnet::worker {

/// The arguments of a sample where its calls find them: at a place of the host the replayed ones
/// themselves, elsewhere copies of them, each between guards. The host's stay what everything is
/// made from; whoever changes them brings the change to the place.
class PlacedArguments {
 public:
  /// Copies what the arguments hold now. Both are borrowed; `arguments` must not be resized.
  ///
  /// errors   kEnvironment: not enough memory at the place
  static base::Result<PlacedArguments> create(device::TensorPlace& place,
                                              std::vector<sample::Argument>& arguments);

  device::TensorPlace& place() const { return *place_; }
  std::vector<sample::Argument>& host() const { return *arguments_; }
  /// Where the calls find argument `index`.
  void* data(std::size_t index) const;

  /// Brings what the host's copy holds to the place: all of an argument, or some bytes of it.
  base::Status update(std::size_t index) const;
  base::Status update(std::size_t index, std::size_t first_byte, std::size_t num_bytes) const;
  base::Status update_all() const;

  /// Whether the place holds what the host does, between whole guards; not to be asked of a place
  /// of the host.
  base::Result<bool> is_same(std::size_t index) const;
  base::Result<base::AlignedBuffer::Damage> damage(std::size_t index) const;

 private:
  PlacedArguments(device::TensorPlace& place, std::vector<sample::Argument>& arguments)
      : place_(&place), arguments_(&arguments) {}

  device::TensorPlace* place_;
  std::vector<sample::Argument>* arguments_;
  std::vector<device::PlacedBuffer> copies_;  // none at a place of the host
};

}  // namespace graphnet::worker
