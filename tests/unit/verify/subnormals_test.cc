// SPDX-License-Identifier: MIT
#include "verify/subnormals.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace graphnet::verify {
namespace subnormals_test {

using base::DType;

TEST(Subnormals, EveryHalfIsJudgedByItsBits) {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  const auto count = static_cast<std::int64_t>(all.size());
  EXPECT_EQ(count_subnormals(DType::kFloat16, all.data(), count), 2 * 1023);
  EXPECT_EQ(count_subnormals(DType::kBFloat16, all.data(), count), 2 * 127);
  EXPECT_EQ(count_subnormals(DType::kInt16, all.data(), count), 0);
}

template <typename T>
std::vector<T> boundaries() {
  using Limits = std::numeric_limits<T>;
  return {0,
          -T(0),
          Limits::denorm_min(),                   // subnormal
          -Limits::denorm_min(),                  // subnormal
          Limits::min() - Limits::denorm_min(),   // subnormal
          -Limits::min() + Limits::denorm_min(),  // subnormal
          Limits::min(),
          -Limits::min(),
          1,
          Limits::max(),
          Limits::infinity(),
          Limits::quiet_NaN()};
}

TEST(Subnormals, BoundariesOfFloatAndDouble) {
  const std::vector<float> floats = boundaries<float>();
  const std::vector<double> doubles = boundaries<double>();
  EXPECT_EQ(count_subnormals(DType::kFloat32, floats.data(), 12), 4);
  EXPECT_EQ(count_subnormals(DType::kFloat64, doubles.data(), 12), 4);
  EXPECT_EQ(count_subnormals(DType::kComplex64, floats.data(), 6), 4);
  EXPECT_EQ(count_subnormals(DType::kComplex128, doubles.data(), 3), 4) << "the first six parts";
  EXPECT_EQ(count_subnormals(DType::kFloat32, nullptr, 0), 0);
}

TEST(Subnormals, NarrowCountersDoNotOverflow) {
  const std::vector<std::uint16_t> many(200'003, 1);
  EXPECT_EQ(count_subnormals(DType::kFloat16, many.data(), 200'003), 200'003);
  EXPECT_EQ(count_subnormals(DType::kBFloat16, many.data(), 200'003), 200'003);
}

}  // namespace subnormals_test
}  // namespace graphnet::verify
