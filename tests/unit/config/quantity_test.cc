// SPDX-License-Identifier: MIT
#include "config/quantity.h"

#include <gtest/gtest.h>

namespace graphnet::config {
namespace {

TEST(Quantity, ReadsBytesAndOperations) {
  EXPECT_EQ(*parse_bytes("16GiB"), std::int64_t{16} << 30U);
  EXPECT_EQ(*parse_bytes("1.5KB"), 1500);
  EXPECT_EQ(*parse_bytes("none"), 0);
  EXPECT_EQ(*parse_flop("2T"), 2e12);
  EXPECT_EQ(*parse_flop("1.5e12"), 1.5e12);
  EXPECT_EQ(*parse_flop("none"), 0);
  EXPECT_EQ(format_byte_limit(std::int64_t{16} << 30U), "16GiB");
  EXPECT_EQ(format_flop_limit(2e12), "2T");
  EXPECT_EQ(format_flop_limit(0), "none");
}

TEST(Quantity, RefusesTheRest) {
  for (const char* text : {"", "16", "GiB", "-1GiB", "0B", "1e30TiB", "nan", "4 GiB", "4gib"}) {
    EXPECT_FALSE(parse_bytes(text).is_ok()) << text;
  }
  for (const char* text : {"", "T", "-2T", "0", "2t", "nan", "inf"}) {
    EXPECT_FALSE(parse_flop(text).is_ok()) << text;
  }
}

}  // namespace
}  // namespace graphnet::config
