// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "base/status.h"
#include "sample/replay.h"

namespace graphnet::worker {

/// Finds out whether a plugin wrote to its inputs or weights, which it may only read.
///
/// A fingerprint of every argument is taken before any of the plugin's code runs and compared after
/// its last call. Both passes lie outside every clock, unlike read-only pages, whose splitting of
/// huge pages would show in the timed calls. About 0.1 s for 1 GB.
///
/// order    put back what the program itself writes (EagerService::prepare) before either pass
class ArgumentWatch {
 public:
  /// `arguments` must outlive the watch.
  explicit ArgumentWatch(const std::vector<sample::Argument>& arguments);

  /// errors   kPlugin: the first argument that changed, or around which something was written
  base::Status check() const;

 private:
  const std::vector<sample::Argument>& arguments_;
  std::vector<std::uint64_t> fingerprints_;
};

/// 64 bits over some bytes; differs for sure if a single aligned word of 8 bytes does.
std::uint64_t fingerprint(const void* data, std::size_t num_bytes);

}  // namespace graphnet::worker
