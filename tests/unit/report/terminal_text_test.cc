// SPDX-License-Identifier: MIT
#include "report/terminal_text.h"

#include <gtest/gtest.h>

namespace graphnet::report {
namespace terminal_text_test {

TEST(TerminalText, PrintableLinesKeepTheirBreaks) {
  EXPECT_EQ(printable_lines("a\n  b\x1b[2J\n"), "a\n  b [2J\n");
  EXPECT_EQ(printable_lines("\n\na"), "\n\na");
  EXPECT_EQ(printable_lines(""), "");
}

TEST(DisplayWidth, CountsCellsNotBytes) {
  EXPECT_EQ(display_width(""), 0);
  EXPECT_EQ(display_width("abc"), 3);
  EXPECT_EQ(display_width("± · ×"), 5);
  EXPECT_EQ(display_width("é"), 1);
  EXPECT_EQ(display_width("e\xcc\x81"), 1);  // e and a combining accent
  EXPECT_EQ(display_width("模型"), 4);
  EXPECT_EQ(display_width("\xff\xfe"), 2);
  EXPECT_EQ(display_width("\xe6\xa8"), 2) << "an incomplete character";
}

TEST(Printable, RemovesWhatMovesTheCursor) {
  EXPECT_EQ(in_one_line("m.py:1:3: no value\n    k = x\n        ^"), "m.py:1:3: no value");
  EXPECT_EQ(in_one_line("first\nsecond: 2^"), "first second: 2^");
  EXPECT_EQ(in_one_line("^"), "^");
  EXPECT_EQ(printable("a\nb\r\n\tc"), "a b c");
  EXPECT_EQ(printable("\x1b[2Jred"), "[2Jred");
  EXPECT_EQ(printable("\xc2\x9b"
                      "31m"),
            "31m");
  EXPECT_EQ(printable("a\xff"), "a\xef\xbf\xbd");
  EXPECT_EQ(printable("a\xe2\x80\xae"
                      "b"),
            "a b");
  EXPECT_EQ(printable("  x  "), "  x");
}

TEST(CutToWidth, NeverSplitsACharacter) {
  EXPECT_EQ(cut_to_width("abcdef", 6), "abcdef");
  EXPECT_EQ(cut_to_width("abcdef", 4), "abc…");
  EXPECT_EQ(cut_to_width("模型模型", 4), "模…");
  EXPECT_EQ(cut_to_width("abc", 1), "…");
  EXPECT_EQ(cut_to_width("abc", 0), "");
  EXPECT_EQ(cut_to_width("abc", -5), "");
  EXPECT_EQ(cut_to_width("", 0), "");
}

TEST(CutMiddle, KeepsBothEnds) {
  EXPECT_EQ(cut_middle("abcdefgh", 8), "abcdefgh");
  EXPECT_EQ(cut_middle("abcdefgh", 5), "ab…gh");
  EXPECT_EQ(cut_middle("abcdefgh", 6), "ab…fgh");
  EXPECT_EQ(cut_middle("模型模型模型", 7), "模…型");
  EXPECT_EQ(cut_middle("abcdefgh", 1), "…");
}

TEST(Wrapped, BreaksAtBlanksAndIndents) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrapped("one two three", 0, 2), Lines{"one two three"});
  EXPECT_EQ(wrapped("one two three", 8, 2), (Lines{"one two", "  three"}));
  EXPECT_EQ(wrapped("  a    b", 80, 2), Lines{"  a    b"}) << "blanks within a line stay";
  EXPECT_EQ(wrapped("abcdefgh", 4, 1), (Lines{"abcd", " efg", " h"}));
  EXPECT_EQ(wrapped("模型模", 3, 2), (Lines{"模", "  型", "  模"})) << "one at least";
  EXPECT_EQ(wrapped("", 10, 2), Lines{""});
}

TEST(Pad, FillsByCells) {
  EXPECT_EQ(pad_right("é", 3), "é  ");
  EXPECT_EQ(pad_left("é", 3), "  é");
  EXPECT_EQ(pad_right("long", 2), "long");
}

TEST(Coloured, IsPlainWhenOff) {
  EXPECT_EQ(coloured("ok", Colour::kOk, false), "ok");
  EXPECT_EQ(coloured("ok", Colour::kOk, true), "\x1b[32mok\x1b[0m");
  EXPECT_EQ(coloured("", Colour::kDim, true), "");
}

TEST(FormatElapsed, ChoosesTheUnit) {
  EXPECT_EQ(format_elapsed(0), "0.0 s");
  EXPECT_EQ(format_elapsed(4.12), "4.1 s");
  EXPECT_EQ(format_elapsed(9.97), "10 s");
  EXPECT_EQ(format_elapsed(59.6), "1 min 00 s");
  EXPECT_EQ(format_elapsed(252), "4 min 12 s");
  EXPECT_EQ(format_elapsed(7380), "2 h 03 min");
  EXPECT_EQ(format_elapsed(-1), "0.0 s");
}

}  // namespace terminal_text_test
}  // namespace graphnet::report
