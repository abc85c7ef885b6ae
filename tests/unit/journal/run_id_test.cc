// SPDX-License-Identifier: MIT
#include "journal/run_id.h"

#include <gtest/gtest.h>

namespace graphnet::journal {
namespace run_id_test {

TEST(RunId, IsTimeAndRandomBits) {
  EXPECT_EQ(format_run_id(1795239612, 0x7f3a), "2026-11-21T0540Z-7f3a");
  EXPECT_EQ(format_run_id(0, 5), "1970-01-01T0000Z-0005");
  const std::string now = new_run_id();
  ASSERT_EQ(now.size(), 21u);
  EXPECT_EQ(now.substr(0, 10), utc_now().substr(0, 10)) << "unless it is midnight";
  EXPECT_EQ(now.substr(15, 2), "Z-");
}

TEST(FormatUtc, IsIso8601) {
  EXPECT_EQ(format_utc(1795239612), "2026-11-21T05:40:12Z");
  EXPECT_EQ(utc_now().size(), 20u);
}

}  // namespace run_id_test
}  // namespace graphnet::journal
