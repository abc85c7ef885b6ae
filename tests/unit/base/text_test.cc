// SPDX-License-Identifier: MIT
#include "base/text.h"

#include <gtest/gtest.h>

#include <limits>
#include <utility>

namespace graphnet::base {
namespace text_test {

TEST(NearestWord, FindsTypingErrorsOnly) {
  const std::vector<std::string> words = {"warmup", "trials", "timeout"};
  EXPECT_EQ(nearest_word("warnup", words), "warmup");
  EXPECT_EQ(nearest_word("trails", words), "trials");  // one swap is one error
  EXPECT_EQ(nearest_word("timeuot", words), "timeout");
  EXPECT_EQ(nearest_word("device", words), "");
  EXPECT_EQ(nearest_word("x", {}), "");
  EXPECT_EQ(nearest_word(std::string(100'000, 'a'), words), "");
}

TEST(ShapeText, IsAListOfIntegers) {
  EXPECT_EQ(shape_text({}), "[]");
  EXPECT_EQ(shape_text({7}), "[7]");
  EXPECT_EQ(shape_text({2, 0, -3}), "[2, 0, -3]");
}

TEST(Split, GivesThePartsBetweenSeparators) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(split("", ','), Parts{""});
  EXPECT_EQ(split("a", ','), Parts{"a"});
  EXPECT_EQ(split("a,,b,", ','), (Parts{"a", "", "b", ""}));
}

TEST(Join, PutsSeparatorsBetween) {
  EXPECT_EQ(join({}, ", "), "");
  EXPECT_EQ(join({"a"}, ", "), "a");
  EXPECT_EQ(join({"a", "", "b"}, ", "), "a, , b");
}

TEST(Counted, SaysOneOfIt) {
  EXPECT_EQ(counted(0, "sample"), "0 samples");
  EXPECT_EQ(counted(1, "sample"), "1 sample");
  EXPECT_EQ(counted(2, "sample"), "2 samples");
}

TEST(FormatBytes, KeepsThreeDigits) {
  EXPECT_EQ(format_bytes(0), "0 B");
  EXPECT_EQ(format_bytes(1023), "1023 B");
  EXPECT_EQ(format_bytes(1024), "1.00 KiB");
  EXPECT_EQ(format_bytes(22'334'669), "21.3 MiB");
  EXPECT_EQ(format_bytes(1'048'575), "1.00 MiB");
  EXPECT_EQ(format_bytes(1ULL << 50), "1024 TiB");
}

TEST(FormatDuration, KeepsThreeDigits) {
  EXPECT_EQ(format_duration(0), "0.00 ns");
  EXPECT_EQ(format_duration(999.4), "999 ns");
  EXPECT_EQ(format_duration(999.6), "1.00 us");
  EXPECT_EQ(format_duration(5'020), "5.02 us");
  EXPECT_EQ(format_duration(1'840'000), "1.84 ms");
  EXPECT_EQ(format_duration(21.3e9), "21.3 s");
}

TEST(ShellCommand, QuotesWhatAShellWouldSplit) {
  EXPECT_EQ(shell_command({"graphnet", "a b", "it's", "", "x=$y"}),
            "graphnet 'a b' 'it'\\''s' '' 'x=$y'");
}

TEST(PythonFloat, WritesWhatReprWrites) {
  const double infinity = std::numeric_limits<double>::infinity();
  const std::pair<double, const char*> cases[] = {
      {0, "0.0"},
      {-0.0, "-0.0"},
      {1, "1.0"},
      {0.1, "0.1"},
      {1e-4, "0.0001"},
      {0.00009999, "9.999e-05"},
      {static_cast<double>(0.1F), "0.10000000149011612"},
      {static_cast<double>(1e-7F), "1.0000000116860974e-07"},
      {2.384185791015625e-07, "2.384185791015625e-07"},
      {1e15, "1000000000000000.0"},
      {9999999999999998.0, "9999999999999998.0"},
      {1e16, "1e+16"},
      {1.5e300, "1.5e+300"},
      {5e-324, "5e-324"},
      {static_cast<double>(std::numeric_limits<float>::max()), "3.4028234663852886e+38"},
      {123456.789, "123456.789"},
      {infinity, "inf"},
      {-infinity, "-inf"},
      {std::numeric_limits<double>::quiet_NaN(), "nan"}};
  for (const auto& [value, text] : cases) EXPECT_EQ(python_float(value), text);
}

}  // namespace text_test
}  // namespace graphnet::base
