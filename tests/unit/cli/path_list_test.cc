// SPDX-License-Identifier: MIT
#include "cli/path_list.h"

#include <gtest/gtest.h>

#include "support/temp_dir.h"

namespace graphnet::cli {
namespace path_list_test {

TEST(PathList, LinesWithoutBlanksAndComments) {
  const tests::TempDir temp;
  const auto file =
      temp.write("list.txt", "# comment\n\n  a/b \t\r\n   # more\nc d # why\ne#1\n#\nlast");
  const auto paths = read_path_list(file);
  ASSERT_TRUE(paths.is_ok()) << paths.status().to_string();
  std::vector<std::string> texts;
  for (const auto& [line, path] : *paths) texts.push_back(std::to_string(line) + ":" + path);
  EXPECT_EQ(texts, (std::vector<std::string>{"3:a/b", "5:c d", "6:e#1", "8:last"}));
}

TEST(PathList, WhatIsNoListIsRefused) {
  const tests::TempDir temp;
  EXPECT_EQ(read_path_list(temp.path() / "nothing").status().code(), base::Code::kInput);
  EXPECT_EQ(read_path_list(temp.path()).status().code(), base::Code::kInput);
  EXPECT_FALSE(read_path_list(temp.write("large", std::string(17U << 20U, 'x'))).is_ok());
}

TEST(PathList, SomePathsAreNotReadBack) {
  for (const char* path : {"a/b", "a#b", "a b", "../a"}) EXPECT_TRUE(fits_list(path)) << path;
  for (const char* path : {"", "#a", "a #b", " a", "a ", "a\nb", "a\r"}) {
    EXPECT_FALSE(fits_list(path)) << path;
  }
}

}  // namespace path_list_test
}  // namespace graphnet::cli
