// SPDX-License-Identifier: MIT
#include "config/yaml_reader.h"

#include <gtest/gtest.h>

#include <chrono>

#include "support/mentions.h"
#include "support/temp_dir.h"

namespace graphnet::config {
namespace yaml_reader_test {

using tests::contains;
using tests::mentions;

std::string error_of(const std::string& text) {
  const auto tree = parse_yaml(text, "x.yaml");
  return tree.is_ok() ? "" : tree.status().message();
}

YamlNode parsed(const std::string& text) {
  auto tree = parse_yaml(text, "x.yaml");
  EXPECT_TRUE(tree.is_ok()) << tree.status().to_string();
  return tree.is_ok() ? std::move(tree).value() : YamlNode();
}

TEST(YamlReader, KeepsOrderTextAndPositions) {
  const YamlNode root = parsed("b: 1\na: [x, 'y']\nc:\n  d: \"0.10\"\n");
  ASSERT_EQ(root.entries.size(), 3U);
  EXPECT_EQ(root.entries[0].key, "b");
  EXPECT_EQ(root.entries[1].key, "a");
  const YamlNode* list = root.find("a");
  ASSERT_EQ(list->items.size(), 2U);
  EXPECT_FALSE(list->items[0].is_quoted);
  EXPECT_TRUE(list->items[1].is_quoted);
  EXPECT_EQ(location(*list->items[1].source, list->items[1].position), "x.yaml:2:8");
  EXPECT_EQ(root.find("c")->find("d")->text, "0.10");
  EXPECT_EQ(root.find("missing"), nullptr);
}

TEST(YamlReader, QuotesTheLineAndPutsACaretUnderTheValue) {
  const YamlNode root = parsed("a: 1\nbb:   oops\n");
  const auto status = read_integer(*root.find("bb"), "bb").status();
  EXPECT_TRUE(mentions(status.message(),
                       {"x.yaml:2:7:", "integer", "'oops'", "\n  bb:   oops\n        ^"}));
}

TEST(YamlReader, ColumnsCountCharactersNotBytes) {
  const YamlNode root = parsed("{\xC3\xA4\xC3\xB6: 1, k: oops}\n");
  EXPECT_TRUE(contains(read_integer(*root.find("k"), "k").status().message(), "x.yaml:1:12:"));
}

TEST(YamlReader, ACaretStaysInViewOnALongLine) {
  const YamlNode root = parsed("k: [" + std::string(5000, 'x') + ", oops]\n");
  const std::string message = read_integer(root.find("k")->items[1], "k").status().message();
  EXPECT_TRUE(contains(message, "x.yaml:1:5007:"));
  EXPECT_LT(message.size(), 400U);
}

TEST(YamlReader, RefusesDuplicateKeys) {
  EXPECT_TRUE(mentions(error_of("a: 1\nb: 2\na: 3\n"), {"x.yaml:3:1:", "'a'", "line 1"}));
  EXPECT_TRUE(contains(error_of("m:\n  k: {a: 1, a: 2}\n"), "x.yaml:2:13: key 'a' already given"));
  EXPECT_EQ(error_of("m: {a: 1}\nn: {a: 1}\n"), "");
}

TEST(YamlReader, RefusesAnchorsAliasesTagsAndSecondDocuments) {
  EXPECT_TRUE(contains(error_of("a: &x 1\n"), "anchors are not allowed"));
  EXPECT_TRUE(contains(error_of("a: *x\n"), "x.yaml:1:4: invalid YAML"));
  EXPECT_TRUE(contains(error_of("a: !!int 1\n"), "x.yaml:1:4: tags are not allowed"));
  EXPECT_TRUE(contains(error_of("a: !x {}\n"), "tags are not allowed"));
  EXPECT_TRUE(contains(error_of("a: 1\n---\nb: 2\n"), "a second document"));
}

TEST(YamlReader, RefusesKeysThatAreNoText) {
  EXPECT_TRUE(mentions(error_of("? [a]\n: 1\n"), {"key", "text"}));
  EXPECT_TRUE(mentions(error_of("? {a: 1}\n: 1\n"), {"key", "text"}));
  EXPECT_TRUE(mentions(error_of("~: 1\n"), {"key", "text"}));
}

TEST(YamlReader, ReportsSyntaxErrorsWithTheirLocation) {
  EXPECT_TRUE(contains(error_of("a: [1\nb: 2\n"), "x.yaml:"));
  EXPECT_TRUE(contains(error_of("a: 'open"), "x.yaml:1:9: invalid YAML: illegal EOF"));
  EXPECT_TRUE(contains(error_of("a: b: c\n"), "x.yaml:1:"));
  EXPECT_TRUE(contains(error_of("\ta: 1\n"), "x.yaml:1:"));
  EXPECT_TRUE(mentions(error_of("a:\n\tb: 1\n"), {"x.yaml:2:1:", "tab"}));
}

TEST(YamlReader, SkipsAByteOrderMark) {
  const YamlNode root = parsed(
      "\xEF\xBB\xBF"
      "a: oops\n");
  EXPECT_TRUE(contains(read_integer(*root.find("a"), "a").status().message(), "x.yaml:1:4:"));
}

TEST(YamlReader, AnEmptyFileIsNoMap) {
  for (const char* text : {"", "\n", "# only a comment\n", "---\n"}) {
    const YamlNode root = parsed(text);
    const auto map = MapReader::open(root, "", {"a"});
    ASSERT_FALSE(map.is_ok()) << text;
    EXPECT_TRUE(mentions(map.status().message(), {"no value", "map"}));
  }
}

TEST(YamlReader, AcceptsWindowsLineEnds) {
  const YamlNode root = parsed("a: 1\r\nb: oops\r\n");
  EXPECT_EQ(*read_integer(*root.find("a"), "a"), 1);
  const auto error = read_integer(*root.find("b"), "b").status();
  EXPECT_TRUE(mentions(error.message(), {"x.yaml:2:4:", "'oops'", "\n  b: oops\n     ^"}));
}

// Hostile input: each must be refused (or read) quickly and without an exception.

TEST(YamlReaderHostile, RefusesTwoMegabytes) {
  EXPECT_TRUE(contains(error_of(std::string(2 << 20, 'a')), "the limit is 1048576"));
  const tests::TempDir folder;
  const auto file = folder.write("big.yaml", std::string(2 << 20, '#'));
  EXPECT_TRUE(contains(read_yaml(file).status().message(), "the limit is 1048576"));
}

TEST(YamlReaderHostile, RefusesDeepNesting) {
  EXPECT_TRUE(contains(error_of(std::string(100000, '[')), "x.yaml:1:"));
  EXPECT_TRUE(contains(error_of(std::string(100000, '{')), "x.yaml:1:"));
  std::string block;
  for (int i = 0; i < 200; ++i) block += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
  EXPECT_TRUE(contains(error_of(block), "nested deeper than 32 levels"));
  std::string dashes;
  for (int i = 0; i < 1000; ++i) dashes += "- ";
  EXPECT_TRUE(contains(error_of(dashes + "x"), "nested deeper than 32 levels"));
  EXPECT_EQ(error_of(std::string(32, '[') + std::string(32, ']')), "");
}

TEST(YamlReaderHostile, RefusesBillionLaughs) {
  std::string text = "a: &a [lol, lol, lol]\n";
  for (char name = 'b'; name < 'k'; ++name) {
    const char previous = static_cast<char>(name - 1);
    text += std::string(1, name) + ": &" + name + " [*" + previous + ", *" + previous + "]\n";
  }
  EXPECT_TRUE(contains(error_of(text), "x.yaml:1:4: anchors are not allowed"));
}

TEST(YamlReaderHostile, RefusesBytesThatAreNoText) {
  EXPECT_TRUE(contains(error_of(std::string("a: \0b", 5)), "is not UTF-8 text"));
  EXPECT_TRUE(contains(error_of("\x7F"
                                "ELF\x02\x01\x01"),
                       "is not UTF-8 text"));
  EXPECT_TRUE(contains(error_of("a: \xFF"), "is not UTF-8 text"));
  EXPECT_TRUE(contains(error_of("a: \xC0\xAF"), "is not UTF-8 text"));
  EXPECT_TRUE(contains(error_of("a: \xED\xA0\x80"), "is not UTF-8 text"));
  EXPECT_TRUE(contains(error_of("\xFF\xFE"
                                "a\0:\0"),
                       "is not UTF-8 text"));
  EXPECT_TRUE(contains(error_of("a: \x1B[2J"), "is not UTF-8 text"));
}

TEST(YamlReaderHostile, EndsQuicklyOnAMegabyteOfAnything) {
  for (const char* unit : {"[", "{", "- - -\n", "[a,", "{a: ", ":", "*a ", "a\n"}) {
    std::string text;
    while (text.size() < kMaxYamlBytes - 8) text += unit;
    const auto started = std::chrono::steady_clock::now();
    static_cast<void>(parse_yaml(text, "x.yaml"));
    const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started;
    EXPECT_LT(elapsed.count(), 20.0) << unit;
  }
}

TEST(MapReader, NamesTheNearestKnownKey) {
  const YamlNode root = parsed("backend:\n  options:\n    worksapce_mib: 1\n");
  const auto map = MapReader::open(*root.find("backend")->find("options"), "backend.options",
                                   {"level", "workspace_mib"});
  ASSERT_FALSE(map.is_ok());
  EXPECT_EQ(map.status().message(),
            "x.yaml:3:5: unknown key 'worksapce_mib' in backend.options; did you mean "
            "'workspace_mib'?\n      worksapce_mib: 1\n      ^");
  EXPECT_EQ(map.status().hints().at(0), "known keys in backend.options: level, workspace_mib");
}

TEST(MapReader, SaysWhatIsMissing) {
  const YamlNode root = parsed("m: {a: 1}\n");
  const auto map = MapReader::open(*root.find("m"), "m", {"a", "b"});
  ASSERT_TRUE(map.is_ok());
  EXPECT_TRUE(map->require("a").is_ok());
  EXPECT_TRUE(contains(map->require("b").status().message(), "x.yaml:1:4: missing key 'm.b'"));
}

TEST(ReadScalar, Integer) {
  const YamlNode root =
      parsed("{a: 7, b: -3, c: \"7\", d: 7x, e: 99999999999999999999, f: , g: []}");
  EXPECT_EQ(*read_integer(*root.find("a"), "a"), 7);
  EXPECT_EQ(*read_integer(*root.find("b"), "b"), -3);
  const auto message = [&](const char* key) {
    return read_integer(*root.find(key), key, 0, 10).status().message();
  };
  EXPECT_TRUE(mentions(message("b"), {"b must", "0 to 10", "'-3'"}));
  EXPECT_TRUE(contains(message("c"), "got the text '7'"));
  EXPECT_TRUE(contains(message("d"), "got '7x'"));
  EXPECT_TRUE(contains(message("e"), "must be an integer"));
  EXPECT_TRUE(contains(message("f"), "f has no value"));
  EXPECT_TRUE(contains(message("g"), "got a list"));
  EXPECT_TRUE(mentions(read_integer(*root.find("d"), "d", 64).status().message(),
                       {"d must", ">= 64", "'7x'"}));
}

TEST(ReadScalar, Number) {
  const YamlNode root = parsed("{a: 1.5, b: 1e3, c: nan, d: inf, e: 1.5.2}");
  EXPECT_EQ(*read_number(*root.find("a"), "a"), 1.5);
  EXPECT_EQ(*read_number(*root.find("b"), "b"), 1000);
  for (const char* key : {"c", "d", "e"}) EXPECT_FALSE(read_number(*root.find(key), key).is_ok());
  EXPECT_FALSE(read_number(*root.find("a"), "a", 2, 3).is_ok());
}

TEST(ReadScalar, BooleanTextAndChoice) {
  const YamlNode root = parsed("{a: true, b: yes, c: fp61, d: [x, y]}");
  EXPECT_TRUE(*read_boolean(*root.find("a"), "a"));
  EXPECT_TRUE(mentions(read_boolean(*root.find("b"), "b").status().message(),
                       {"b must", "true", "false", "'yes'"}));
  EXPECT_EQ(*read_text(*root.find("b"), "b"), "yes");
  EXPECT_TRUE(mentions(read_choice(*root.find("c"), "c", {"fp32", "fp16"}).status().message(),
                       {"fp32, fp16", "'fp61'", "'fp16'"}));
  EXPECT_EQ(*read_text_list(*root.find("d"), "d"), (std::vector<std::string>{"x", "y"}));
  EXPECT_FALSE(read_text_list(*root.find("a"), "a").is_ok());
}

}  // namespace yaml_reader_test
}  // namespace graphnet::config
