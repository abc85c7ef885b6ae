// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "verify/outcome_rule.h"
#include "verify/statistics.h"

namespace graphnet::verify {

/// Shows during a pass over an array that none of its elements is outsize (outcome_rule.h). It
/// costs two loops over data that is in the cache. Counts how many are not far below the largest of
/// the first block: if those are more than half, neither is the median.
///
/// Type     one of float_types.h
template <typename Type>
class Magnitudes {
 public:
  using Stored = typename Type::Stored;

  [[gnu::always_inline]] void add(const Stored* stored, int count) {
    Signed largest = 0;
    for (int i = 0; i < count; ++i) {
      const Signed bits = magnitude_at(stored, i);
      const Signed finite = bits < static_cast<Signed>(Type::kInfinity) ? bits : Signed(0);
      largest = finite > largest ? finite : largest;
    }
    if (largest == 0) return;
    if (sizeable_ == 0) sizeable_ = largest > kEighth ? static_cast<Signed>(largest - kEighth) : 1;
    Bits sizeable = 0;  // as narrow as the elements, for the vectoriser
    Bits at_largest = 0;
    for (int i = 0; i < count; ++i) {
      const Signed bits = magnitude_at(stored, i);
      sizeable = static_cast<Bits>(sizeable + static_cast<Bits>(bits >= sizeable_));
      at_largest = static_cast<Bits>(at_largest + static_cast<Bits>(bits == largest));
    }
    num_sizeable_ += static_cast<std::int64_t>(sizeable);
    if (largest > largest_) num_largest_ = 0;
    largest_ = std::max(largest_, largest);
    if (largest == largest_) num_largest_ += static_cast<std::int64_t>(at_largest);
  }

  /// counts: of the whole array of `count` elements.
  bool may_have_outsize(const ValueCounts& counts, std::int64_t count) const {
    const std::int64_t special = counts.nan + counts.positive_infinity + counts.negative_infinity;
    const std::int64_t nonzero = count - special - counts.zero;
    if (nonzero == 0) return false;
    // Of those below the largest more than half, whatever of the special ones was counted.
    const std::int64_t sizeable = num_sizeable_ - special - num_largest_;
    return 2 * sizeable <= nonzero - num_largest_ ||
           as_double(largest_) > kOutsizeFactor * as_double(sizeable_);
  }

 private:
  using Bits = typename Type::Bits;
  using Signed = std::make_signed_t<Bits>;

  static constexpr Bits kMagnitude = static_cast<Bits>(~Bits{0}) >> 1;
  static constexpr Signed kEighth = static_cast<Signed>(3 * Type::kSmallestNormal);  // as bits

  [[gnu::always_inline]] static Signed magnitude_at(const Stored* stored, int i) {
    Bits bits;
    std::memcpy(&bits, stored + i, sizeof bits);
    return static_cast<Signed>(bits & kMagnitude);
  }

  static double as_double(Signed magnitude) {
    Stored stored;
    std::memcpy(&stored, &magnitude, sizeof stored);
    return static_cast<double>(Type::load(stored));
  }

  Signed largest_ = 0;
  Signed sizeable_ = 0;
  std::int64_t num_largest_ = 0;
  std::int64_t num_sizeable_ = 0;
};

}  // namespace graphnet::verify
