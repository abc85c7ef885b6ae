// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "verify/statistics.h"

namespace graphnet::verify {

/// Keeps the 8 worst pairs of a pass: mask mismatches first, then by error, equal ones by index.
/// Pairs must come in ascending order of index.
class WorstPairs {
 public:
  /// A pair whose error is not above this would not be kept. 0 while there is room: equal pairs
  /// never are.
  double threshold() const { return size_ == kMost ? pairs_[kMost - 1].error : 0; }

  void add(std::int64_t index, double error) {
    if (error > threshold()) insert(index, error, false);
  }

  void add_mask_mismatch(std::int64_t index) {
    const bool full = size_ == kMost && pairs_[kMost - 1].mask_mismatch;
    if (!full) insert(index, std::numeric_limits<double>::infinity(), true);
  }

  /// Without the values of the two sides.
  std::vector<WorstPair> pairs() const { return {pairs_.begin(), pairs_.begin() + size_}; }

 private:
  static constexpr int kMost = 8;

  void insert(std::int64_t index, double error, bool mask_mismatch) {
    int at = size_ < kMost ? size_++ : kMost - 1;
    for (; at > 0; --at) {
      const WorstPair& before = pairs_[static_cast<std::size_t>(at - 1)];
      const bool worse =
          before.mask_mismatch != mask_mismatch ? before.mask_mismatch : before.error >= error;
      if (worse) break;
      pairs_[static_cast<std::size_t>(at)] = before;
    }
    WorstPair& pair = pairs_[static_cast<std::size_t>(at)];
    pair.index = index;
    pair.error = error;
    pair.mask_mismatch = mask_mismatch;
  }

  std::array<WorstPair, kMost> pairs_ = {};
  int size_ = 0;
};

}  // namespace graphnet::verify
