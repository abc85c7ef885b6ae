// SPDX-License-Identifier: MIT
#include "verify/subnormals.h"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace graphnet::verify {

namespace {

using base::DType;

// At most as many elements as a counter of the narrowest type can count.
constexpr std::int64_t kBlock = 16384;

// Bits is an unsigned integer of the width of the number.
template <typename Bits>
std::int64_t count_below(const void* data, std::int64_t count, Bits smallest_normal) {
  constexpr Bits kMagnitude = std::numeric_limits<std::make_signed_t<Bits>>::max();
  const auto* elements = static_cast<const Bits*>(data);
  std::int64_t found = 0;
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    const std::int64_t end = std::min(begin + kBlock, count);
    Bits in_block = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      // Zero wraps around to the largest number.
      const auto above_zero = static_cast<Bits>((elements[i] & kMagnitude) - 1);
      const bool subnormal = above_zero < static_cast<Bits>(smallest_normal - 1);
      in_block = static_cast<Bits>(in_block + static_cast<Bits>(subnormal));
    }
    found += static_cast<std::int64_t>(in_block);
  }
  return found;
}

constexpr std::uint32_t kFloat32Normal = 0x00800000u;
constexpr std::uint64_t kFloat64Normal = 0x0010000000000000u;

}  // namespace

std::int64_t count_subnormals(DType dtype, const void* data, std::int64_t count) {
  switch (dtype) {
    case DType::kFloat16:
      return count_below<std::uint16_t>(data, count, 0x0400u);
    case DType::kBFloat16:
      return count_below<std::uint16_t>(data, count, 0x0080u);
    case DType::kFloat32:
      return count_below(data, count, kFloat32Normal);
    case DType::kFloat64:
      return count_below(data, count, kFloat64Normal);
    case DType::kComplex64:
      return count_below(data, 2 * count, kFloat32Normal);
    case DType::kComplex128:
      return count_below(data, 2 * count, kFloat64Normal);
    default:
      return 0;
  }
}

}  // namespace graphnet::verify
