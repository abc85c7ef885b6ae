// SPDX-License-Identifier: MIT
#include "conformance/fill.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace graphnet::conformance {
namespace fill_test {

using base::DType;

template <typename T>
std::vector<T> draw(const std::string& text, DType dtype, std::size_t count) {
  const auto fill = parse_fill(text);
  EXPECT_TRUE(fill.is_ok()) << fill.status().message();
  const std::vector<std::byte> bytes = filled(*fill, dtype, count, 7);
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(Fill, NormalHasMeanZeroAndDeviationOne) {
  const auto values = draw<double>("normal", DType::kFloat64, 20000);
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += value;
    squares += value * value;
  }
  EXPECT_NEAR(sum / 20000, 0, 0.05);
  EXPECT_NEAR(squares / 20000, 1, 0.05);
}

TEST(Fill, RangesHoldTheirEnds) {
  const auto integers = draw<std::int64_t>("integers -1 1", DType::kInt64, 200);
  EXPECT_EQ(*std::min_element(integers.begin(), integers.end()), -1);
  EXPECT_EQ(*std::max_element(integers.begin(), integers.end()), 1);
  for (const float value : draw<float>("uniform 2 3", DType::kFloat32, 200)) {
    EXPECT_GE(value, 2);
    EXPECT_LE(value, 3);
  }
}

TEST(Fill, PermutationHasEachNumberOnce) {
  auto values = draw<std::int32_t>("permutation", DType::kInt32, 9);
  EXPECT_FALSE(std::is_sorted(values.begin(), values.end()));
  std::sort(values.begin(), values.end());
  EXPECT_EQ(values.front(), -4);
  EXPECT_EQ(values.back(), 4);
  EXPECT_EQ(std::unique(values.begin(), values.end()), values.end());
}

TEST(Fill, ValuesRepeatAndOthersAreSprinkledIn) {
  EXPECT_EQ(draw<float>("values 1 -inf 2.5", DType::kFloat32, 5),
            (std::vector<float>{1, -INFINITY, 2.5, 1, -INFINITY}));
  const auto sprinkled = draw<float>("uniform 0 1 with nan inf", DType::kFloat32, 16);
  EXPECT_TRUE(std::isnan(sprinkled[3]));
  EXPECT_TRUE(std::isinf(sprinkled[14]));
  EXPECT_EQ(std::count_if(sprinkled.begin(), sprinkled.end(),
                          [](float value) { return std::isfinite(value); }),
            14);
}

TEST(Fill, ComplexNumbersGetBothParts) {
  EXPECT_EQ(draw<float>("values 1 2 3", DType::kComplex64, 2), (std::vector<float>{1, 2, 3, 1}));
}

TEST(Fill, EqualSeedsGiveEqualElements) {
  const Fill normal;
  EXPECT_EQ(filled(normal, DType::kFloat16, 5, 1), filled(normal, DType::kFloat16, 5, 1));
  EXPECT_NE(filled(normal, DType::kFloat16, 5, 1), filled(normal, DType::kFloat16, 5, 2));
  EXPECT_NE(seed_of("a/b", 0), seed_of("a/b", 1));
  EXPECT_NE(seed_of("a/b", 0), seed_of("a/c", 0));
}

TEST(Fill, RefusesWhatItDoesNotUnderstand) {
  for (const char* text : {"", "gauss", "uniform 1", "uniform 2 1", "values", "normal 3",
                           "normal with", "normal with x", "integers 0 1 2", "values 1 x"}) {
    EXPECT_FALSE(parse_fill(text).is_ok()) << text;
  }
}

}  // namespace fill_test
}  // namespace graphnet::conformance
