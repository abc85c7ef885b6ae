// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "worker/dense_copy.h"

namespace graphnet::worker {

/// Copies a few runs of bytes at random offsets of the outputs, right after a call. That takes
/// microseconds where a copy of everything takes too long. Outputs that the plugin writes after its
/// call differ from these copies later. On the host only.
class EarlyCopy {
 public:
  /// Outputs that are not dense are left out.
  ///
  /// shapes   kept: one per tensor, of their sizes
  /// errors   as read_known_runs()
  base::Status take(const std::vector<DLTensor>& outputs, const std::vector<KeptOutput>& kept);
  void clear() { runs_.clear(); }
  /// Whether the outputs, copied later, differ at these offsets.
  bool differs(const std::vector<KeptOutput>& later) const;

 private:
  struct Run {
    std::size_t output;
    std::size_t first_byte;
    std::vector<std::byte> bytes;
  };
  std::vector<Run> runs_;
};

}  // namespace graphnet::worker
