// SPDX-License-Identifier: MIT
#include "config/byte_size.h"

#include <gtest/gtest.h>

namespace graphnet::config {
namespace byte_size_test {

TEST(MemoryLimit, ReadsEveryForm) {
  using Kind = MemoryLimit::Kind;
  EXPECT_EQ(parse_memory_limit("auto")->kind, Kind::kAuto);
  EXPECT_EQ(parse_memory_limit("none")->kind, Kind::kNone);
  EXPECT_EQ(parse_memory_limit("512MiB")->num_bytes, std::uint64_t{512} << 20U);
  EXPECT_EQ(parse_memory_limit("1.5GiB")->num_bytes, std::uint64_t{1536} << 20U);
  EXPECT_EQ(parse_memory_limit("2TiB")->num_bytes, std::uint64_t{2} << 40U);
}

TEST(MemoryLimit, RefusesTheRest) {
  for (const char* text : {"", "4", "4GB", "GiB", "-4GiB", "0GiB", "255MiB", "1e9TiB", "nanGiB"}) {
    const auto limit = parse_memory_limit(text);
    ASSERT_FALSE(limit.is_ok()) << text;
    EXPECT_NE(limit.status().message().find("256MiB"), std::string::npos);
  }
}

TEST(MemoryLimit, IsPrintedAsItIsWritten) {
  for (const char* text : {"auto", "none", "4GiB", "1536MiB"}) {
    EXPECT_EQ(format_memory_limit(*parse_memory_limit(text)), text);
  }
}

}  // namespace byte_size_test
}  // namespace graphnet::config
