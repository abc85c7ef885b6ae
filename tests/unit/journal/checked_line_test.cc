// SPDX-License-Identifier: MIT
#include "journal/checked_line.h"

#include <gtest/gtest.h>

namespace graphnet::journal {
namespace checked_line_test {

TEST(CheckedLine, TheCheckIsTheLastMember) {
  // printf '{"a":1' | sha256sum
  EXPECT_EQ(with_check("{\"a\":1}"), "{\"a\":1,\"check\":\"8b0f0d75aabe01bb\"}");
}

TEST(CheckedLine, EveryChangedByteShows) {
  const std::string line = with_check("{\"a\":\"some text\",\"b\":[1,2]}");
  EXPECT_EQ(examine_check(line), CheckResult::kGood);
  for (std::size_t at = 0; at < line.size(); ++at) {
    for (const int flip : {1, 4, 0x80}) {
      std::string changed = line;
      changed[at] = static_cast<char>(changed[at] ^ flip);
      EXPECT_NE(examine_check(changed), CheckResult::kGood) << changed;
    }
  }
  for (std::size_t length = 0; length < line.size(); ++length) {
    EXPECT_NE(examine_check(line.substr(0, length)), CheckResult::kGood) << length;
  }
}

TEST(CheckedLine, LinesWithoutAreToldApart) {
  for (const char* line : {"", "{}", "garbage", "{\"a\":1}", "{\"check\":\"0123456789abcdef\"}"}) {
    EXPECT_EQ(examine_check(line), CheckResult::kAbsent) << line;
    EXPECT_EQ(without_check(line), line);
  }
  EXPECT_EQ(examine_check("{\"a\":1,\"check\":\"0123456789abcdef\"}"), CheckResult::kDamaged);
  EXPECT_EQ(without_check(with_check("{\"a\":1}")), "{\"a\":1}");
}

}  // namespace checked_line_test
}  // namespace graphnet::journal
