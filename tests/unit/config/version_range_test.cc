// SPDX-License-Identifier: MIT
#include "config/version_range.h"

#include <gtest/gtest.h>

#include "support/mentions.h"

namespace graphnet::config {
namespace version_range_test {

using tests::mentions;

TEST(Version, OrdersAsTheSemanticVersioningPageDoes) {
  // The example of section 11, with what we allow beyond it.
  const char* ordered[] = {"0.9",
                           "1.0.0-alpha",
                           "1.0.0-alpha.1",
                           "1.0.0-alpha.beta",
                           "1.0.0-beta",
                           "1.0.0-beta.2",
                           "1.0.0-beta.11",
                           "1.0.0-rc.1",
                           "1",
                           "1.0.1",
                           "1.2",
                           "1.10",
                           "2.0.0-0",
                           "2"};
  for (std::size_t i = 0; i < std::size(ordered); ++i) {
    for (std::size_t j = 0; j < std::size(ordered); ++j) {
      const int order = compare_versions(*parse_version(ordered[i]), *parse_version(ordered[j]));
      EXPECT_EQ(order < 0, i < j) << ordered[i] << " " << ordered[j];
      EXPECT_EQ(order > 0, i > j) << ordered[i] << " " << ordered[j];
    }
  }
  EXPECT_EQ(compare_versions(*parse_version("1.2+a"), *parse_version("1.2.0+b")), 0);
}

TEST(Version, RefusesOtherForms) {
  for (const char* text : {"", "x", "1.", ".1", "1.2.3.4", "1.2.3rc1", "0.27.0.post1", "1-",
                           "1-a..b", "1-a_b", "-1", "1 2", "1.9999999999999999999"}) {
    const auto version = parse_version(text);
    ASSERT_FALSE(version.is_ok()) << text;
    EXPECT_TRUE(mentions(version.status().message(), {text, "version"}));
  }
}

TEST(VersionRange, Contains) {
  const struct {
    const char* range;
    const char* version;
    bool is_in;
  } cases[] = {
      {"any", "0.0.1-rc", true},       {">=0.2, <0.4", "0.2.0", true},
      {">=0.2, <0.4", "0.3.9", true},  {">=0.2, <0.4", "0.4.0", false},
      {">=0.2, <0.4", "0.1.4", false}, {">=0.2", "0.2.0-rc.1", false},
      {"0.3.1", "0.3.1", true},        {"=0.3.1", "0.3.2", false},
      {"= 0.3", "0.3.0+build7", true}, {">0.3", "0.3.0", false},
      {">0.3", "0.3.1", true},         {"<=1", "1.0.0", true},
      {"<=1", "1.0.1", false},
  };
  for (const auto& [range, version, is_in] : cases) {
    EXPECT_EQ(parse_version_range(range)->contains(*parse_version(version)), is_in)
        << range << " " << version;
  }
}

TEST(VersionRange, RefusesOtherForms) {
  for (const char* text : {"", ",", ">=", ">=0.2,", "~0.2", "^1", "!=1", "=>1", "==1", "1 || 2"}) {
    EXPECT_FALSE(parse_version_range(text).is_ok()) << text;
  }
  EXPECT_FALSE(parse_version_range(std::string(200, '<')).is_ok());
  EXPECT_EQ(parse_version_range("^1").status().message(), "'^' is none of = < <= > >=");
}

}  // namespace version_range_test
}  // namespace graphnet::config
