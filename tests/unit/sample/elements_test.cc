// SPDX-License-Identifier: MIT
#include "sample/elements.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "support/mentions.h"

namespace graphnet::sample {
namespace elements_test {

using base::DType;
using tests::mentions;

template <typename T>
std::byte* bytes_of(std::vector<T>& elements) {
  return reinterpret_cast<std::byte*>(elements.data());
}

template <typename T>
T constant(DType dtype, double value) {
  std::vector<T> element(1);
  store_constant(dtype, value, 1, bytes_of(element));
  return element[0];
}

TEST(Elements, HalfGoesThroughFloat32) {
  // Rounding once would give 1.0009765625 and 1.0078125.
  EXPECT_EQ(constant<std::uint16_t>(DType::kFloat16, 1 + 0x1p-11 + 0x1p-30), 0x3c00);
  EXPECT_EQ(constant<std::uint16_t>(DType::kBFloat16, 1 + 0x1p-8 + 0x1p-30), 0x3f80);
}

TEST(Elements, NarrowingEqualsTheScalarConversions) {
  // Every 4099th pattern: all exponents, both signs, infinities, NaN and many ties.
  std::vector<float> floats;
  for (std::uint64_t bits = 0; bits <= 0xffffffffu; bits += 4099) {
    const auto pattern = static_cast<std::uint32_t>(bits);
    floats.emplace_back();
    std::memcpy(&floats.back(), &pattern, sizeof pattern);
  }
  for (const float tie : {65504.f, 65519.996f, 65520.f, -65536.f, 0x1p-24f, 0x1p-25f, 0x1.8p-25f,
                          0x1.ffcp-15f, 0x1.ffep-15f, 1 + 0x1p-11f, 1 + 0x3p-11f, 1 + 0x1p-8f}) {
    floats.push_back(tie);
  }
  std::vector<double> draws(floats.begin(), floats.end());
  std::vector<std::uint16_t> half(floats.size());
  std::vector<std::uint16_t> brain(floats.size());
  // 5 * 0.2 is exactly 1.
  store_scaled(DType::kFloat16, 5.0, -0.0, draws.size(), draws.data(), bytes_of(half));
  draws.assign(floats.begin(), floats.end());
  store_scaled(DType::kBFloat16, 5.0, -0.0, draws.size(), draws.data(), bytes_of(brain));
  std::size_t num_different = 0;
  for (std::size_t i = 0; i < floats.size(); ++i) {
    const float value = static_cast<float>(static_cast<double>(floats[i]) * 5.0 * 0.2);
    num_different += half[i] != base::float_to_half(value) && !std::isnan(value);
    num_different += brain[i] != base::float_to_bfloat16(value);
  }
  EXPECT_EQ(num_different, 0u);
}

TEST(Elements, NegativeZeroKeepsItsSign) {
  EXPECT_TRUE(std::signbit(constant<float>(DType::kFloat32, -0.0)));
  EXPECT_EQ(constant<std::uint16_t>(DType::kFloat16, -0.0), 0x8000);
}

TEST(Elements, ScaleRoundsAfterEveryOperation) {
  std::vector<double> draws = {-1.0856306033005612, 0.9973454465835858,  0.28297849805199204,
                               -1.506294713918092,  -0.5786002519685364, 1.651436537097151};
  std::vector<float> found(draws.size());
  store_scaled(DType::kFloat32, 2.5, 1.0, draws.size(), draws.data(), bytes_of(found));
  EXPECT_EQ(found, (std::vector<float>{0x1.d4283ap-2f, 0x1.7fa904p+0f, 0x1.2438a4p+0f,
                                       0x1.f98dep-3f, 0x1.6be0dap-1f, 0x1.d36246p+0f}));
}

TEST(Elements, ScaledIntegersAreTruncated) {
  std::vector<double> draws = {-1.9, 1.9, std::numeric_limits<double>::quiet_NaN(), 1e300};
  std::vector<std::int64_t> found(draws.size());
  store_scaled(DType::kInt64, 5.0, 0.0, draws.size(), draws.data(), bytes_of(found));
  EXPECT_EQ(found, (std::vector<std::int64_t>{-1, 1, 0, std::numeric_limits<std::int64_t>::max()}));
}

TEST(Elements, BoundsAreRoundedToTheDtypeAndKeepZeroSigns) {
  std::vector<float> elements = {-1, -0.0f, 0.5f, 0.1f, NAN};
  clamp_to_bounds(DType::kFloat32, 0.0, 0.1, elements.size(), bytes_of(elements));
  EXPECT_EQ(elements[0], 0.0f);
  EXPECT_TRUE(std::signbit(elements[1]));
  EXPECT_EQ(elements[2], 0.1f);
  EXPECT_EQ(elements[3], 0.1f);
  EXPECT_TRUE(std::isnan(elements[4]));
}

TEST(Elements, CrossedBoundsEndAtTheUpperOne) {
  std::vector<double> elements = {0.0};
  clamp_to_bounds(DType::kFloat64, 2.0, 1.0, 1, bytes_of(elements));
  EXPECT_EQ(elements[0], 1.0);
}

TEST(Elements, ClampToHundredLeavesNonFiniteElements) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  std::vector<float> elements = {100, -101, 3e38f, -kInf, kInf, NAN, 99.99f};
  EXPECT_TRUE(clamp_to_hundred(DType::kFloat32, elements.size(), bytes_of(elements)));
  EXPECT_EQ(elements[0], 100.0f);
  EXPECT_EQ(elements[1], -100.0f);
  EXPECT_EQ(elements[2], 100.0f);
  EXPECT_EQ(elements[3], -kInf);
  EXPECT_EQ(elements[4], kInf);
  EXPECT_TRUE(std::isnan(elements[5]));
  EXPECT_EQ(elements[6], 99.99f);
}

TEST(Elements, ClampToHundredInEveryFloatingDtype) {
  std::vector<std::uint16_t> half = {base::float_to_half(-1000), base::float_to_half(1)};
  EXPECT_FALSE(clamp_to_hundred(DType::kFloat16, 2, bytes_of(half)));
  EXPECT_EQ(base::half_to_float(half[0]), -100.0f);
  EXPECT_EQ(base::half_to_float(half[1]), 1.0f);
  std::vector<std::uint16_t> brain = {base::float_to_bfloat16(1e30f)};
  EXPECT_FALSE(clamp_to_hundred(DType::kBFloat16, 1, bytes_of(brain)));
  EXPECT_EQ(base::bfloat16_to_float(brain[0]), 100.0f);
  std::vector<double> wide = {-1e300, INFINITY};
  EXPECT_TRUE(clamp_to_hundred(DType::kFloat64, 2, bytes_of(wide)));
  EXPECT_EQ(wide[0], -100.0);
  EXPECT_EQ(wide[1], INFINITY);
}

TEST(Elements, HalfThatOverflowsIsNotFinite) {
  std::vector<std::uint16_t> element(1);
  store_constant(DType::kFloat16, -3e38, 1, bytes_of(element));
  EXPECT_TRUE(clamp_to_hundred(DType::kFloat16, 1, bytes_of(element)));
  EXPECT_EQ(element[0], 0xfc00);
}

TEST(Elements, LiteralIntegersKeepAll64Bits) {
  using Kind = LiteralNumber::Kind;
  const std::vector<LiteralNumber> literal = {
      {Kind::kInteger, std::numeric_limits<std::int64_t>::max(), 0},
      {Kind::kFloat, 0, -1.5},
      {Kind::kBool, 1, 0}};
  std::vector<std::int64_t> found(3);
  ASSERT_TRUE(store_literal(DType::kInt64, literal, bytes_of(found)).is_ok());
  EXPECT_EQ(found, (std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max(), -1, 1}));
}

TEST(Elements, LiteralThatDoesNotFit) {
  std::vector<std::int8_t> small(1);
  const base::Status status =
      store_literal(DType::kInt8, {{LiteralNumber::Kind::kInteger, 128, 0}}, bytes_of(small));
  EXPECT_EQ(status.code(), base::Code::kInput);
  EXPECT_TRUE(mentions(status.message(), {"number 0", "int8"}));
  std::vector<std::int64_t> wide(1);
  EXPECT_FALSE(
      store_literal(DType::kInt64, {{LiteralNumber::Kind::kFloat, 0, 1e30}}, bytes_of(wide))
          .is_ok());
  EXPECT_FALSE(store_literal(DType::kInt64, {{LiteralNumber::Kind::kFloat, 0, NAN}}, bytes_of(wide))
                   .is_ok());
}

}  // namespace elements_test
}  // namespace graphnet::sample
