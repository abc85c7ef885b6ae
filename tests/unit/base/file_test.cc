// SPDX-License-Identifier: MIT
#include "base/file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>

#include "support/temp_dir.h"

namespace graphnet::base {
namespace file_test {

using tests::TempDir;

TEST(ReadFile, ReturnsTheBytes) {
  const TempDir folder;
  const std::string bytes("a\0\xff\n", 4);
  EXPECT_EQ(read_file(folder.write("x", bytes), 4).value(), bytes);
  EXPECT_EQ(read_file(folder.write("empty", ""), 0).value(), "");
}

TEST(ReadFile, NamesPathAndReason) {
  const TempDir folder;
  const auto missing = read_file(folder.path() / "none", 10).status();
  EXPECT_EQ(missing.code(), Code::kInput);
  EXPECT_NE(missing.message().find("none"), std::string::npos);
  EXPECT_NE(missing.message().find("No such file"), std::string::npos);
  EXPECT_NE(read_file(folder.path(), 10).status().message().find("folder"), std::string::npos);
  EXPECT_NE(read_file(folder.write("x", "12345"), 4).status().message().find("limit is 4"),
            std::string::npos);
}

TEST(ReadFile, DoesNotHangOnAFifo) {
  const TempDir folder;
  const auto fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  EXPECT_NE(read_file(fifo, 10).status().message().find("regular"), std::string::npos);
}

TEST(WriteFileAtomic, ReplacesTheContentAndLeavesNothingBehind) {
  const TempDir folder;
  const auto path = folder.write("x", "old");
  ASSERT_TRUE(write_file_atomic(path, "new").is_ok());
  EXPECT_EQ(read_file(path, 10).value(), "new");
  int entries = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    ++entries;
  }
  EXPECT_EQ(entries, 1);
}

TEST(WriteFileAtomic, TakesPartsInTheirOrder) {
  const TempDir folder;
  const auto file = folder.path() / "x";
  const std::vector<std::string_view> parts = {"ab", "", "c"};
  ASSERT_TRUE(write_file_atomic(file, parts).is_ok());
  EXPECT_EQ(read_file(file, 10).value(), "abc");
}

TEST(WriteFileAtomic, KeepsALinkAndReplacesWhatItNames) {
  const TempDir folder;
  const auto path = folder.write("x", "old");
  std::filesystem::create_symlink(path, folder.path() / "link");
  ASSERT_TRUE(write_file_atomic(folder.path() / "link", "new").is_ok());
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "link"));
  EXPECT_EQ(read_file(path, 10).value(), "new");
}

TEST(WriteFileAtomic, WritesIntoAPipe) {
  const TempDir folder;
  const auto fifo = folder.path() / "fifo";
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  const UniqueFd reader(::open(fifo.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  ASSERT_TRUE(reader.is_open());
  ASSERT_TRUE(write_file_atomic(fifo, "text").is_ok());
  EXPECT_TRUE(std::filesystem::is_fifo(fifo));
  std::array<char, 8> bytes = {};
  EXPECT_EQ(::read(reader.get(), bytes.data(), bytes.size()), 4);
}

TEST(WriteFileAtomic, FailsCleanlyWithoutTheFolder) {
  const TempDir folder;
  const Status status = write_file_atomic(folder.path() / "none" / "x", "text");
  EXPECT_EQ(status.code(), Code::kEnvironment);
  EXPECT_NE(status.message().find("none/x"), std::string::npos);
}

TEST(WriteAll, ReportsAFullDisk) {
  const UniqueFd full(::open("/dev/full", O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(full.is_open());
  EXPECT_EQ(write_all(full.get(), "x").code(), Code::kEnvironment);
}

TEST(UniqueFd, ClosesOnceAndMoves) {
  std::array<int, 2> ends = {};
  ASSERT_EQ(::pipe(ends.data()), 0);
  UniqueFd reader(ends[0]);
  {
    UniqueFd writer(ends[1]);
    UniqueFd moved = std::move(writer);
    EXPECT_FALSE(writer.is_open());  // NOLINT(bugprone-use-after-move): the state is documented
    EXPECT_TRUE(moved.is_open());
  }
  char byte;
  EXPECT_EQ(::read(reader.get(), &byte, 1), 0) << "the write end is still open";
}

TEST(ExecutableFolder, HoldsThisTest) {
  EXPECT_TRUE(std::filesystem::exists(executable_folder() / "unit_base"));
}

}  // namespace file_test
}  // namespace graphnet::base
