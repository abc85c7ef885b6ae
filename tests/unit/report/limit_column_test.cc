// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "record/record.h"
#include "report/table_columns.h"

namespace graphnet::report {
namespace limit_column_test {

std::string text_of(const record::Record& record) {
  return columns_named("limit")->at(0).text(record, 0);
}

TEST(LimitColumn, IsTheShareThatTheCallReached) {
  record::Record record;
  record.roofline.limit_ns = 4e6;
  record.roofline.limited_by = record::Roofline::kMemory;
  EXPECT_EQ(text_of(record), "-") << "it has no time";
  record.plugin_side.median_ns = 10e6;
  EXPECT_EQ(text_of(record), "40.0 % memory");
  const auto stored = record::record_from_json(to_json(record));
  ASSERT_TRUE(stored.is_ok()) << stored.status().to_string();
  EXPECT_EQ(text_of(*stored), "40.0 % memory");
}

}  // namespace limit_column_test
}  // namespace graphnet::report
