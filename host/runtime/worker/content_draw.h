// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>

#include "base/dtype.h"

namespace graphnet::worker {

/// Numbers of one content, always the same. Contents tell nothing of each other: a plugin that
/// works out the numbers behind one content knows no other one.
///
/// source   the first state: Aumasson, Bernstein: SipHash-2-4 (2012), keyed by the seed; then
///          splitmix64: Steele, Lea, Flood: Fast splittable pseudorandom number generators (2014)
class Numbers {
 public:
  Numbers(std::uint64_t seed, std::uint64_t content, std::uint64_t attempt);
  std::uint64_t operator()();
  /// shapes   result in [0, end), end at most 2^32
  std::size_t below(std::size_t end) { return ((*this)() >> 32U) * end >> 32U; }

 private:
  std::uint64_t state_;
};

/// The functions below take an original whose first elements follow once more behind its last one,
/// kDrawnRun of them: what begins anywhere in it can be read on as in a circle.
inline constexpr std::size_t kDrawnRun = 256;

/// Whether draw_between() has this type: floating and complex ones.
bool can_draw_between(base::DType dtype);

/// Each number (a complex one is two) at random between two of the original, which lie in runs at
/// two random places. No value leaves the original's range; what would not be finite is one of the
/// two.
///
/// units    about 0.1 ns a float32 in the caches, with AVX2 and more
void draw_between(base::DType dtype, const std::byte* original, std::byte* to,
                  std::size_t num_bytes, Numbers& numbers);

/// Integers of so many bytes, each evenly from `low` to `low` + `range`, both included.
///
/// units    about 1 ns an element
void draw_integers(std::int64_t low, std::uint32_t range, std::byte* to, std::size_t count,
                   std::size_t element_bytes, Numbers& numbers);

/// The elements in another order; `to` holds them.
void permute(std::byte* to, std::size_t count, std::size_t element_bytes, Numbers& numbers);

/// The original turned by a random number of elements, and then each run of kDrawnRun read from a
/// random place in it by a random stride: rows are none of an earlier content, and the multiset
/// stays.
///
/// units    about 1 ns an element
void stride_runs(const std::byte* original, std::byte* to, std::size_t count,
                 std::size_t element_bytes, Numbers& numbers);

}  // namespace graphnet::worker
