// SPDX-License-Identifier: MIT
#include "split/recorded_value.h"

#include <gtest/gtest.h>

namespace graphnet::split {
namespace recorded_value_test {

TEST(RecordedValues, MayBeTuplesWithoutAnItem) {
  const base::Json nothing = {{"plain", "None"}};
  const base::Json size = {{"plain", "slice(0, 3, None)"}};
  const base::Json tuple = {{"is_list", false}, {"items", {nothing, size}}};
  const auto records = read_records({{"values", {{tuple}}}, {"writes", base::Json::array()}});
  ASSERT_TRUE(records.is_ok()) << records.status().to_string();
  const RecordedValue& value = records->values.at(0).at(0);
  ASSERT_EQ(value.items.size(), 2U);
  EXPECT_EQ(value.items[0].kind, RecordedValue::Kind::kPlain);
  EXPECT_EQ(value.items[0].plain.kind, graph::ExpressionKind::kNone);
  EXPECT_EQ(value.items[1].plain.kind, graph::ExpressionKind::kSlice);
}

}  // namespace recorded_value_test
}  // namespace graphnet::split
