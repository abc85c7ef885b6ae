// SPDX-License-Identifier: MIT
#include "sample/value_bound.h"

#include <gtest/gtest.h>

namespace graphnet::sample {
namespace value_bound_test {

TEST(ValueBound, IsSetWhereItIsTighter) {
  std::vector<TensorMeta> metas(2);
  metas[0].name = "v";
  metas[1].name = "w";
  metas[1].min_val = float_literal(0.5);
  metas[1].max_val = integer_literal(2);
  ASSERT_TRUE(
      set_bounds({{"v", "min_val", 0}, {"w", "min_val", 0}, {"w", "max_val", 1}}, metas).is_ok());
  EXPECT_EQ(metas[0].min_val->as_double(), 0);
  EXPECT_FALSE(metas[0].max_val);
  EXPECT_EQ(metas[1].min_val->as_double(), 0.5);
  EXPECT_EQ(metas[1].max_val->as_double(), 1);
  EXPECT_EQ(set_bounds({{"x", "min_val", 0}}, metas).code(), base::Code::kInput);
}

// What integers are drawn between.
TEST(ValueBound, OfIntegersIsTheNextInteger) {
  std::vector<TensorMeta> metas(1);
  metas[0].name = "n";
  metas[0].dtype = base::DType::kInt64;
  ASSERT_TRUE(set_bounds({{"n", "min_val", 1e-6}, {"n", "max_val", 7.5}}, metas).is_ok());
  EXPECT_EQ(metas[0].min_val->kind, LiteralNumber::Kind::kInteger);
  EXPECT_EQ(metas[0].min_val->integer, 1);
  EXPECT_EQ(metas[0].max_val->kind, LiteralNumber::Kind::kInteger);
  EXPECT_EQ(metas[0].max_val->integer, 7);
}

TEST(ValueBound, TravelsAsJson) {
  const auto bounds = bounds_from_json(to_json({{"v", "max_val", 0.25}}));
  ASSERT_TRUE(bounds.is_ok()) << bounds.status().to_string();
  ASSERT_EQ(bounds->size(), 1U);
  EXPECT_EQ((*bounds)[0].name, "v");
  EXPECT_EQ((*bounds)[0].key, "max_val");
  EXPECT_EQ((*bounds)[0].value, 0.25);
  for (const char* text : {"{}", "[1]", R"([{"name":"v","key":"mean","value":1}])",
                           R"([{"name":"v","key":"min_val"}])"}) {
    const auto json = base::parse_json(text, "bounds");
    ASSERT_TRUE(json.is_ok());
    EXPECT_EQ(bounds_from_json(*json).status().code(), base::Code::kInput) << text;
  }
}

}  // namespace value_bound_test
}  // namespace graphnet::sample
