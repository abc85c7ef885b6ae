// SPDX-License-Identifier: MIT
#include "sample/elements.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>

#include "sample/vector_clones.h"

namespace graphnet::sample {

namespace {

using base::DType;

/// How one dtype is stored; `Value` is what comparisons are made in.
template <typename T>
struct Plain {
  using Stored = T;
  using Value = T;
  static Value decode(Stored stored) { return stored; }
  static Stored encode(double value) {
    if constexpr (std::is_floating_point_v<T>) {
      return static_cast<T>(value);
    } else {
      // Out of range is undefined in C; no metadata of the dataset reaches this.
      constexpr auto kLow = static_cast<double>(std::numeric_limits<T>::min());
      constexpr auto kHigh = static_cast<double>(std::numeric_limits<T>::max());
      if (!(value > kLow)) return std::isnan(value) ? T{0} : std::numeric_limits<T>::min();
      return value >= kHigh ? std::numeric_limits<T>::max() : static_cast<T>(value);
    }
  }
};

struct Half {
  using Stored = std::uint16_t;
  using Value = float;
  static Value decode(Stored stored) { return base::half_to_float(stored); }
  static Stored encode(double value) { return base::float_to_half(static_cast<float>(value)); }
};

struct BFloat16 {
  using Stored = std::uint16_t;
  using Value = float;
  static Value decode(Stored stored) { return base::bfloat16_to_float(stored); }
  static Stored encode(double value) { return base::float_to_bfloat16(static_cast<float>(value)); }
};

struct Bool {
  using Stored = std::uint8_t;
  using Value = std::uint8_t;
  static Value decode(Stored stored) { return stored; }
  static Stored encode(double value) { return value != 0 ? 1 : 0; }
};

template <typename T>
struct Complex {
  using Stored = std::complex<T>;
  static Stored encode(double value) { return {static_cast<T>(value), T{0}}; }
};

/// Calls `visitor` with the codec of a dtype whose elements are ordered; not for complex ones.
template <typename Visitor>
void visit_real(DType dtype, const Visitor& visitor) {
  switch (dtype) {
    case DType::kBool:
      return visitor(Bool());
    case DType::kUInt8:
      return visitor(Plain<std::uint8_t>());
    case DType::kInt8:
      return visitor(Plain<std::int8_t>());
    case DType::kInt16:
      return visitor(Plain<std::int16_t>());
    case DType::kInt32:
      return visitor(Plain<std::int32_t>());
    case DType::kInt64:
      return visitor(Plain<std::int64_t>());
    case DType::kFloat16:
      return visitor(Half());
    case DType::kBFloat16:
      return visitor(BFloat16());
    case DType::kFloat32:
      return visitor(Plain<float>());
    case DType::kFloat64:
      return visitor(Plain<double>());
    case DType::kComplex64:
    case DType::kComplex128:
      return;
  }
}

/// Calls `visitor` with the codec of any dtype.
template <typename Visitor>
void visit(DType dtype, const Visitor& visitor) {
  if (dtype == DType::kComplex64) return visitor(Complex<float>());
  if (dtype == DType::kComplex128) return visitor(Complex<double>());
  visit_real(dtype, visitor);
}

template <typename Codec>
typename Codec::Stored* stored_as(std::byte* out) {
  return reinterpret_cast<typename Codec::Stored*>(out);
}

GN_VECTOR_CLONES void scale(double deviation, double mean, std::size_t count, double* draws) {
  for (std::size_t i = 0; i < count; ++i) draws[i] = draws[i] * deviation * 0.2 + mean;
}

GN_VECTOR_CLONES void scale_to_float(double deviation, double mean, std::size_t count,
                                     const double* __restrict draws, float* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = static_cast<float>(draws[i] * deviation * 0.2 + mean);
  }
}

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// The two below are base::float_to_half and base::float_to_bfloat16 without branches, which is what
// lets the compiler vectorise them; a test compares them.
GN_VECTOR_CLONES void narrow_to_half(std::size_t count, const double* __restrict values,
                                     std::uint16_t* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = bits_of(static_cast<float>(values[i]));
    const std::uint32_t magnitude = bits & 0x7fffffffu;
    float absolute;
    std::memcpy(&absolute, &magnitude, sizeof absolute);
    const std::uint32_t odd = (magnitude >> 13) & 1u;
    const std::uint32_t normal = (magnitude - 0x38000000u + 0xfffu + odd) >> 13;
    const std::uint32_t subnormal = bits_of(absolute + 0.5f) - 0x3f000000u;
    std::uint32_t half = magnitude < 0x38800000u ? subnormal : normal;
    half = magnitude >= 0x477ff000u ? 0x7c00u : half;
    half = magnitude > 0x7f800000u ? 0x7e00u : half;
    out[i] = static_cast<std::uint16_t>(((bits >> 16) & 0x8000u) | half);
  }
}

GN_VECTOR_CLONES void narrow_to_bfloat16(std::size_t count, const double* __restrict values,
                                         std::uint16_t* __restrict out) {
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t bits = bits_of(static_cast<float>(values[i]));
    const std::uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
    const bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    out[i] = static_cast<std::uint16_t>(is_nan ? 0x7fc0u : rounded);
  }
}

/// Magnitudes of IEEE numbers order like their bits without the sign.
template <typename Bits>
struct Limits {
  Bits hundred;
  Bits infinity;
};

template <typename Bits>
bool clamp_bits(const Limits<Bits>& limits, std::size_t count, Bits* elements) {
  constexpr auto kMagnitude = static_cast<Bits>(std::numeric_limits<Bits>::max() >> 1);
  Bits largest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    largest = std::max(largest, static_cast<Bits>(elements[i] & kMagnitude));
  }
  if (largest <= limits.hundred) return false;
  for (std::size_t i = 0; i < count; ++i) {
    const auto magnitude = static_cast<Bits>(elements[i] & kMagnitude);
    if (magnitude <= limits.hundred || magnitude >= limits.infinity) continue;
    elements[i] = static_cast<Bits>((elements[i] & ~kMagnitude) | limits.hundred);
  }
  return largest >= limits.infinity;
}

bool fits(DType dtype, const LiteralNumber& number) {
  const bool is_float = number.kind == LiteralNumber::Kind::kFloat;
  if (!base::is_integer(dtype)) return true;
  if (dtype == DType::kInt64) return !is_float || std::fabs(number.number) < 0x1p63;
  const auto bits = static_cast<int>(8 * base::dtype_bytes(dtype));
  const bool is_signed = dtype != DType::kUInt8;
  const double high = std::ldexp(1.0, bits - (is_signed ? 1 : 0));
  const double value = is_float ? std::trunc(number.number) : static_cast<double>(number.integer);
  return value >= (is_signed ? -high : 0.0) && value < high;
}

}  // namespace

void store_constant(DType dtype, double value, std::size_t count, std::byte* out) {
  visit(dtype, [&](auto codec) {
    using Codec = decltype(codec);
    std::fill_n(stored_as<Codec>(out), count, Codec::encode(value));
  });
}

void store_scaled(DType dtype, double deviation, double mean, std::size_t count, double* draws,
                  std::byte* out) {
  if (dtype == DType::kFloat32) {
    return scale_to_float(deviation, mean, count, draws, stored_as<Plain<float>>(out));
  }
  scale(deviation, mean, count, draws);
  if (dtype == DType::kFloat16) return narrow_to_half(count, draws, stored_as<Half>(out));
  if (dtype == DType::kBFloat16) return narrow_to_bfloat16(count, draws, stored_as<BFloat16>(out));
  visit(dtype, [&](auto codec) {
    using Codec = decltype(codec);
    std::transform(draws, draws + count, stored_as<Codec>(out), Codec::encode);
  });
}

void store_integer(DType dtype, std::int64_t value, std::size_t index, std::byte* out) {
  visit_real(dtype, [&](auto codec) {
    using Codec = decltype(codec);
    stored_as<Codec>(out)[index] = static_cast<typename Codec::Stored>(value);
  });
}

base::Status store_literal(DType dtype, const std::vector<LiteralNumber>& literal, std::byte* out) {
  for (std::size_t i = 0; i < literal.size(); ++i) {
    const LiteralNumber& number = literal[i];
    const bool is_float = number.kind == LiteralNumber::Kind::kFloat;
    if (!fits(dtype, number)) {
      return {base::Code::kInput, "number " + std::to_string(i) + " of the literal does not fit " +
                                      base::dtype_name(dtype)};
    }
    // Through double an int64 would lose bits.
    if (base::is_integer(dtype) && !is_float) {
      store_integer(dtype, number.integer, i, out);
      continue;
    }
    const double value = is_float ? number.number : static_cast<double>(number.integer);
    store_constant(dtype, value, 1, out + i * base::dtype_bytes(dtype));
  }
  return base::Status::ok();
}

void clamp_to_bounds(DType dtype, std::optional<double> lower, std::optional<double> upper,
                     std::size_t count, std::byte* out) {
  if (!lower && !upper) return;
  visit_real(dtype, [&](auto codec) {
    using Codec = decltype(codec);
    auto* elements = stored_as<Codec>(out);
    const auto low = Codec::encode(lower.value_or(0));
    const auto high = Codec::encode(upper.value_or(0));
    for (std::size_t i = 0; i < count; ++i) {
      if (lower && Codec::decode(elements[i]) < Codec::decode(low)) elements[i] = low;
      if (upper && Codec::decode(elements[i]) > Codec::decode(high)) elements[i] = high;
    }
  });
}

bool clamp_to_hundred(DType dtype, std::size_t count, std::byte* out) {
  switch (dtype) {
    case DType::kFloat16:
      return clamp_bits<std::uint16_t>({0x5640, 0x7c00}, count, stored_as<Half>(out));
    case DType::kBFloat16:
      return clamp_bits<std::uint16_t>({0x42c8, 0x7f80}, count, stored_as<BFloat16>(out));
    case DType::kFloat32:
      return clamp_bits<std::uint32_t>({0x42c80000, 0x7f800000}, count,
                                       reinterpret_cast<std::uint32_t*>(out));
    case DType::kFloat64:
      return clamp_bits<std::uint64_t>({0x4059000000000000, 0x7ff0000000000000}, count,
                                       reinterpret_cast<std::uint64_t*>(out));
    default:
      return false;
  }
}

}  // namespace graphnet::sample
