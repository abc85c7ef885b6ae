// SPDX-License-Identifier: MIT
#include "report/text_table.h"

#include <gtest/gtest.h>

namespace graphnet::report {
namespace text_table_test {

TEST(TextTable, AlignsBesideEachOther) {
  EXPECT_EQ(text_table({{"op", "nodes", "FLOP"}, {"aten.mul", "3", "12 k"}}, "# "),
            "# op        nodes  FLOP\n"
            "# aten.mul      3  12 k\n");
  EXPECT_EQ(text_table({}, "# "), "");
}

TEST(TextTable, ColumnsToTheLeftLeaveNoBlanksAtTheEnd) {
  const std::vector<Cells> rows = {{"a", "bbb", "c"}, {"aa", "b", ""}};
  EXPECT_EQ(aligned_lines(rows, 3), (std::vector<std::string>{"a   bbb  c", "aa  b"}));
  EXPECT_EQ(aligned_lines(rows, 2), (std::vector<std::string>{"a   bbb  c", "aa  b"}));
}

TEST(TextTable, CountsTheCellsOfATerminal) {
  EXPECT_EQ(aligned_lines({{"±", "1"}, {"語", "2"}}, 1),
            (std::vector<std::string>{"±   1", "語  2"}));
}

}  // namespace text_table_test
}  // namespace graphnet::report
