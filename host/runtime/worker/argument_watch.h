// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "worker/device_arguments.h"

namespace graphnet::worker {

/// Finds out whether a plugin wrote to its inputs or weights, which it may only read.
///
/// A fingerprint of every argument is taken before any of the plugin's code runs and compared after
/// its last call. Both passes are outside the timed calls. Read-only pages would not be: they split
/// huge pages, which slows the timed calls. About 0.1 s for 1 GB.
///
/// On another device than the host, its arguments are compared with the host's copies.
///
/// order    put back what the program itself writes (EagerService::prepare) before either pass
class ArgumentWatch {
 public:
  /// `arguments` must outlive the watch.
  explicit ArgumentWatch(const DeviceArguments& arguments);

  /// errors   kEnvironment as device::TensorDevice; kPlugin: the first argument that changed, or
  /// around which something was written
  base::Status check() const;

 private:
  base::Result<base::AlignedBuffer::Damage> damage(std::size_t index) const;
  base::Result<bool> is_same(std::size_t index) const;

  const DeviceArguments& arguments_;
  std::vector<std::uint64_t> fingerprints_;
};

/// 64 bits over some bytes; differs for sure if a single aligned word of 8 bytes does.
std::uint64_t fingerprint(const void* data, std::size_t num_bytes);

}  // namespace graphnet::worker
