// SPDX-License-Identifier: MIT
#include "base/json.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace graphnet::base {
namespace json_test {

TEST(Json, KeepsTheOrderOfKeys) {
  const std::string text = R"({"z":1,"a":[1.5,null,"x"],"m":{"b":true,"a":false}})";
  const auto parsed = parse_json(text, "test");
  ASSERT_TRUE(parsed.is_ok());
  EXPECT_EQ(dump_json(*parsed), text);
}

TEST(Json, MalformedTextIsAnInputErrorThatNamesTheLocation) {
  for (const std::string text : {"", "{", "[1,]", "{\"a\":1}x", "nul", "\"\xff\"", "{'a':1}"}) {
    const auto parsed = parse_json(text, "results.jsonl");
    ASSERT_FALSE(parsed.is_ok()) << text;
    EXPECT_EQ(parsed.status().code(), Code::kInput);
    EXPECT_EQ(parsed.status().context().back(), "results.jsonl");
  }
}

TEST(Json, DepthIsLimitedSoThatHostileTextCannotExhaustTheStack) {
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  EXPECT_TRUE(parse_json(nested(60), "test").is_ok());
  EXPECT_FALSE(parse_json(nested(1'000'000), "test").is_ok());
  EXPECT_FALSE(parse_json(std::string(1'000'000, '['), "test").is_ok());
}

TEST(Json, DumpNeverThrows) {
  Json value;
  value["text"] = "\xff\xfe";
  value["number"] = std::numeric_limits<double>::quiet_NaN();
  const std::string text = dump_json(value);
  EXPECT_NE(text.find("\xef\xbf\xbd"), std::string::npos) << text;
  EXPECT_NE(text.find("\"number\":null"), std::string::npos) << text;
  EXPECT_EQ(text.find('\n'), std::string::npos);
}

TEST(Json, TextForPeopleHasNoQuotes) {
  EXPECT_EQ(text_of("a \"b\""), "a \"b\"");
  EXPECT_EQ(text_of(1.5), "1.5");
  EXPECT_EQ(text_of({{"a", nullptr}}), R"({"a":null})");
}

TEST(Json, DoublesSurviveTheRoundTrip) {
  const double value = 0.1 + 0.2;
  EXPECT_EQ(parse_json(dump_json(Json(value)), "test")->get<double>(), value);
}

TEST(Json, NumbersThatJsonLacksAreWords) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(json_number(-0.5), -0.5);
  EXPECT_EQ(json_number(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(json_number(kInfinity), "inf");
  EXPECT_EQ(json_number(-kInfinity), "-inf");
}

}  // namespace json_test
}  // namespace graphnet::base
