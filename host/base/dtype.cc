// SPDX-License-Identifier: MIT
#include "base/dtype.h"

#include <array>
#include <cmath>
#include <cstring>

namespace graphnet::base {

namespace {

struct Row {
  const char* name;
  std::size_t bytes;
  bool floating;
  bool integer;
};

// In the order of the enumerators.
constexpr std::array<Row, 12> kRows = {{{"bool", 1, false, false},
                                        {"uint8", 1, false, true},
                                        {"int8", 1, false, true},
                                        {"int16", 2, false, true},
                                        {"int32", 4, false, true},
                                        {"int64", 8, false, true},
                                        {"float16", 2, true, false},
                                        {"bfloat16", 2, true, false},
                                        {"float32", 4, true, false},
                                        {"float64", 8, true, false},
                                        {"complex64", 8, false, false},
                                        {"complex128", 16, false, false}}};

const Row& row(DType dtype) {
  return kRows[static_cast<std::size_t>(dtype)];
}

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

}  // namespace

const char* dtype_name(DType dtype) {
  return row(dtype).name;
}
std::size_t dtype_bytes(DType dtype) {
  return row(dtype).bytes;
}
bool is_floating(DType dtype) {
  return row(dtype).floating;
}
bool is_integer(DType dtype) {
  return row(dtype).integer;
}

std::optional<DType> dtype_from_name(std::string_view name) {
  for (std::size_t i = 0; i < kRows.size(); ++i) {
    if (name == kRows[i].name) return static_cast<DType>(i);
  }
  return std::nullopt;
}

std::optional<std::int64_t> num_elements(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 0) return std::nullopt;
    if (__builtin_mul_overflow(count, extent, &count)) return std::nullopt;
    if (count > (std::int64_t{1} << 62)) return std::nullopt;
  }
  return count;
}

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= shape[i] > 0 ? shape[i] : 1;
  }
  return strides;
}

std::uint16_t float_to_half(float value) {
  const std::uint32_t bits = bits_of(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const std::uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return static_cast<std::uint16_t>(sign | 0x7e00u);
  // 65520 is half way between the largest half and the next power of two: ties go to infinity.
  if (magnitude >= 0x477ff000u) return static_cast<std::uint16_t>(sign | 0x7c00u);
  if (magnitude < 0x38800000u) {
    // Subnormal half: adding 0.5 aligns the mantissa so that the FPU rounds it to nearest even.
    const float aligned = float_of(magnitude) + 0.5f;
    return static_cast<std::uint16_t>(sign | (bits_of(aligned) - 0x3f000000u));
  }
  const std::uint32_t odd = (magnitude >> 13) & 1u;
  return static_cast<std::uint16_t>(sign | ((magnitude - 0x38000000u + 0xfffu + odd) >> 13));
}

std::uint16_t float_to_bfloat16(float value) {
  if (std::isnan(value)) return 0x7fc0u;
  const std::uint32_t bits = bits_of(value);
  return static_cast<std::uint16_t>((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
}

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000u) << 16;
  const std::uint32_t exponent = (half >> 10) & 0x1fu;
  const std::uint32_t mantissa = half & 0x3ffu;
  if (exponent == 0x1f) return float_of(sign | 0x7f800000u | (mantissa << 13));
  if (exponent == 0) {
    const float value = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  return float_of(sign | ((exponent + 112u) << 23) | (mantissa << 13));
}

float bfloat16_to_float(std::uint16_t bits) {
  return float_of(static_cast<std::uint32_t>(bits) << 16);
}

}  // namespace graphnet::base
