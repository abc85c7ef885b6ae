// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#include "verify/level_climber.h"

namespace graphnet::verify {

inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

inline float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// The roundings below are base::float_to_half and back in one step and without a branch: their loop
// is the inner loop of half comparisons. A test compares them with base on every boundary.
struct HalfRounding {
  static constexpr bool kIsExact = false;
  [[gnu::always_inline]] static float round(float value) {
    const std::uint32_t sign = bits_of(value) & 0x80000000u;
    const std::uint32_t bits = bits_of(value) & 0x7fffffffu;
    const float magnitude = float_of(bits);
    const std::uint32_t normal_bits = (bits + 0xfffu + ((bits >> 13) & 1u)) & 0xffffe000u;
    const float normal = float_of(normal_bits);
    // The spacing of floats in [0.5, 1) is the spacing of subnormal halves.
    const float subnormal = (magnitude + 0.5f) - 0.5f;
    float rounded = magnitude < 0x1p-14f ? subnormal : normal;
    rounded = rounded >= 65536.0f ? std::numeric_limits<float>::infinity() : rounded;
    rounded = magnitude == magnitude ? rounded : magnitude;
    return float_of(bits_of(rounded) | sign);
  }
};

struct BFloat16Rounding {
  static constexpr bool kIsExact = false;
  [[gnu::always_inline]] static float round(float value) {
    const std::uint32_t bits = bits_of(value);
    const float rounded = float_of((bits + 0x7fffu + ((bits >> 16) & 1u)) & 0xffff0000u);
    return value == value ? rounded : value;
  }
};

/// How one dtype is stored, loaded and computed in.
///
/// Bits              an unsigned integer of its width
/// kInfinity         its bits; larger magnitudes are NaN
/// kSmallestNormal   its bits; smaller magnitudes are zero or subnormal
struct Float32 {
  using Stored = float;
  using Compute = float;
  using Bits = std::uint32_t;
  using Rounding = NoRounding<float>;
  static constexpr Bits kInfinity = 0x7f800000u;
  static constexpr Bits kSmallestNormal = 0x00800000u;
  [[gnu::always_inline]] static float load(Stored stored) { return stored; }
};

struct Float64 {
  using Stored = double;
  using Compute = double;
  using Bits = std::uint64_t;
  using Rounding = NoRounding<double>;
  static constexpr Bits kInfinity = 0x7ff0000000000000u;
  static constexpr Bits kSmallestNormal = 0x0010000000000000u;
  [[gnu::always_inline]] static double load(Stored stored) { return stored; }
};

struct Float16 {
  using Stored = std::uint16_t;
  using Compute = float;
  using Bits = std::uint16_t;
  using Rounding = HalfRounding;
  static constexpr Bits kInfinity = 0x7c00u;
  static constexpr Bits kSmallestNormal = 0x0400u;
  // base::half_to_float without a branch: scaling by 2^112 moves the exponent, subnormals included.
  [[gnu::always_inline]] static float load(Stored stored) {
    const std::uint32_t magnitude = (stored & 0x7fffu) << 13;
    const float finite = float_of(magnitude) * 0x1p112f;
    const float special = float_of(magnitude | 0x7f800000u);
    const float value = (stored & 0x7c00u) == 0x7c00u ? special : finite;
    return float_of(bits_of(value) | (static_cast<std::uint32_t>(stored & 0x8000u) << 16));
  }
};

struct BFloat16 {
  using Stored = std::uint16_t;
  using Compute = float;
  using Bits = std::uint16_t;
  using Rounding = BFloat16Rounding;
  static constexpr Bits kInfinity = 0x7f80u;
  static constexpr Bits kSmallestNormal = 0x0080u;
  [[gnu::always_inline]] static float load(Stored stored) {
    return float_of(static_cast<std::uint32_t>(stored) << 16);
  }
};

}  // namespace graphnet::verify
