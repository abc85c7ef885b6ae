// SPDX-License-Identifier: MIT
#include "conformance/element_bound.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>

namespace graphnet::conformance {
namespace element_bound_test {

using base::DType;

TEST(ElementBound, OneElementBeyondIsFound) {
  const std::vector<float> eager = {1, -2, 100};
  std::vector<float> plugin = {1, -2.000001F, 100};
  const ElementBound bound = {0, 1e-5};
  const auto look = [&] {
    return beyond_bound({DType::kFloat32, {3}, eager.data()}, {DType::kFloat32, {3}, plugin.data()},
                        bound);
  };
  EXPECT_EQ(look(), std::nullopt);
  plugin[2] = 100.5F;
  EXPECT_EQ(look(), "element [2] is 100.5 instead of 100, off by 0.5 where 1e-05 is allowed");
}

TEST(ElementBound, GrowsWithTheValue) {
  const double eager = -1000;
  const double plugin = -1000.5;
  const auto look = [&](double relative) {
    return beyond_bound({DType::kFloat64, {}, &eager}, {DType::kFloat64, {}, &plugin},
                        {relative, 0});
  };
  EXPECT_EQ(look(1e-3), std::nullopt);
  EXPECT_NE(look(1e-4), std::nullopt);
}

TEST(ElementBound, LooksAtHalfNumbersAndImaginaryParts) {
  const std::vector<std::uint16_t> one = {0x3c00, 0x3c00};
  const std::vector<std::uint16_t> other = {0x3c00, 0x3c04};  // 1 + 4/1024
  EXPECT_NE(beyond_bound({DType::kFloat16, {2}, one.data()}, {DType::kFloat16, {2}, other.data()},
                         default_bound(DType::kFloat16)),
            std::nullopt);
  const std::vector<float> eager = {1, 1, 1, 1};
  const std::vector<float> plugin = {1, 1, 1, 2};
  const auto message = beyond_bound({DType::kComplex64, {2}, eager.data()},
                                    {DType::kComplex64, {2}, plugin.data()}, {0, 0.5});
  ASSERT_TRUE(message.has_value());
  EXPECT_EQ(message->substr(0, 11), "element [1]");
}

TEST(ElementBound, LeavesMasksAndIntegersToTheOutcomeRule) {
  const std::vector<float> eager = {NAN, INFINITY};
  const std::vector<float> plugin = {0, 1};
  EXPECT_EQ(beyond_bound({DType::kFloat32, {2}, eager.data()},
                         {DType::kFloat32, {2}, plugin.data()}, {0, 0}),
            std::nullopt);
  const std::int64_t zero = 0;
  const std::int64_t one = 1;
  EXPECT_EQ(beyond_bound({DType::kInt64, {}, &zero}, {DType::kInt64, {}, &one}, {0, 0}),
            std::nullopt);
}

}  // namespace element_bound_test
}  // namespace graphnet::conformance
