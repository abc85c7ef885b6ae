// SPDX-License-Identifier: MIT
#include "config/quantity.h"

#include <gtest/gtest.h>

namespace graphnet::config {
namespace quantity_test {

TEST(Quantity, ReadsOperations) {
  EXPECT_EQ(*parse_flop("2T"), 2e12);
  EXPECT_EQ(*parse_flop("1.5e12"), 1.5e12);
  EXPECT_EQ(*parse_flop("none"), 0);
  EXPECT_EQ(format_flop_limit(2e12), "2T");
  EXPECT_EQ(format_flop_limit(0), "none");
}

TEST(Quantity, RefusesTheRest) {
  for (const char* text : {"", "T", "-2T", "0", "2t", "nan", "inf"}) {
    EXPECT_FALSE(parse_flop(text).is_ok()) << text;
  }
}

}  // namespace quantity_test
}  // namespace graphnet::config
