// SPDX-License-Identifier: MIT
#include "base/dtype.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace graphnet::base {
namespace dtype_test {

constexpr DType kAll[] = {DType::kBool,    DType::kUInt8,   DType::kInt8,      DType::kInt16,
                          DType::kInt32,   DType::kInt64,   DType::kFloat16,   DType::kBFloat16,
                          DType::kFloat32, DType::kFloat64, DType::kComplex64, DType::kComplex128};

TEST(DType, NamesRoundTrip) {
  for (const DType dtype : kAll) EXPECT_EQ(dtype_from_name(dtype_name(dtype)), dtype);
  EXPECT_EQ(dtype_from_name("torch.float32"), std::nullopt);
  EXPECT_EQ(dtype_from_name(""), std::nullopt);
  EXPECT_STREQ(dtype_name(DType::kBFloat16), "bfloat16");
  EXPECT_EQ(dtype_bytes(DType::kComplex128), 16u);
}

TEST(DType, KindsAreDisjoint) {
  for (const DType dtype : kAll) EXPECT_FALSE(is_floating(dtype) && is_integer(dtype));
  EXPECT_TRUE(is_floating(DType::kFloat16));
  EXPECT_TRUE(is_integer(DType::kUInt8));
  EXPECT_FALSE(is_integer(DType::kBool));
}

TEST(NumElements, RefusesNegativeAndOverflow) {
  EXPECT_EQ(num_elements({}), 1);
  EXPECT_EQ(num_elements({2, 0, 3}), 0);
  EXPECT_EQ(num_elements({2, -1}), std::nullopt);
  EXPECT_EQ(num_elements({std::int64_t{1} << 40, std::int64_t{1} << 40}), std::nullopt);
  EXPECT_EQ(num_elements({std::int64_t{1} << 62}), std::int64_t{1} << 62);
  EXPECT_EQ(num_elements({std::int64_t{1} << 62, 2}), std::nullopt);
}

TEST(DenseStrides, AreRowMajor) {
  EXPECT_EQ(dense_strides({2, 3, 4}), (std::vector<std::int64_t>{12, 4, 1}));
  EXPECT_TRUE(dense_strides({}).empty());
}

std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

// The value of a half by its definition, sign 1, exponent 5, mantissa 10.
double half_by_definition(std::uint16_t bits) {
  const int exponent = (bits >> 10) & 31;
  const int mantissa = bits & 1023;
  const double sign = (bits & 0x8000) != 0 ? -1 : 1;
  if (exponent == 0) return sign * std::ldexp(mantissa, -24);
  if (exponent == 31) {
    return mantissa != 0 ? std::nan("") : sign * std::numeric_limits<double>::infinity();
  }
  return sign * std::ldexp(1024 + mantissa, exponent - 25);
}

TEST(Half, EveryValueIsRightAndRoundTrips) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const auto half = static_cast<std::uint16_t>(bits);
    const float value = half_to_float(half);
    const double expected = half_by_definition(half);
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(value)) << bits;
      EXPECT_TRUE(std::isnan(half_to_float(float_to_half(value)))) << bits;
      continue;
    }
    ASSERT_EQ(static_cast<double>(value), expected) << bits;
    ASSERT_EQ(std::signbit(value), (bits & 0x8000u) != 0) << bits;
    ASSERT_EQ(float_to_half(value), half) << bits;
  }
}

TEST(Half, RoundsToNearestEvenBetweenAllNeighbours) {
  for (unsigned bits = 0; bits < 0x7bff; ++bits) {
    const auto low = static_cast<std::uint16_t>(bits);
    const auto high = static_cast<std::uint16_t>(bits + 1);
    const float middle = (half_to_float(low) + half_to_float(high)) / 2;
    const std::uint16_t even = bits % 2 == 0 ? low : high;
    ASSERT_EQ(float_to_half(middle), even) << bits;
    ASSERT_EQ(float_to_half(std::nextafter(middle, 0.0f)), low) << bits;
    ASSERT_EQ(float_to_half(std::nextafter(middle, 1e9f)), high) << bits;
    ASSERT_EQ(float_to_half(-middle), even | 0x8000u) << bits;
  }
  EXPECT_EQ(float_to_half(65519.996f), 0x7bffu);
  EXPECT_EQ(float_to_half(65520.0f), 0x7c00u);
  EXPECT_EQ(float_to_half(std::numeric_limits<float>::infinity()), 0x7c00u);
  EXPECT_EQ(float_to_half(-1e30f), 0xfc00u);
}

TEST(BFloat16, EveryValueRoundTripsAndRoundsToNearestEven) {
  for (unsigned bits = 0; bits < 65536; ++bits) {
    const auto stored = static_cast<std::uint16_t>(bits);
    const float value = bfloat16_to_float(stored);
    ASSERT_EQ(bits_of(value), bits << 16);
    if (std::isnan(value)) {
      ASSERT_TRUE(std::isnan(bfloat16_to_float(float_to_bfloat16(value))));
      continue;
    }
    ASSERT_EQ(float_to_bfloat16(value), stored);
    if (!std::isfinite(value)) continue;
    float middle;
    const std::uint32_t middle_bits = (bits << 16) | 0x8000u;
    std::memcpy(&middle, &middle_bits, sizeof middle);
    ASSERT_EQ(float_to_bfloat16(middle), bits % 2 == 0 ? bits : bits + 1) << bits;
  }
}

}  // namespace dtype_test
}  // namespace graphnet::base
