// SPDX-License-Identifier: MIT
#include "base/kernel_file.h"

#include <gtest/gtest.h>

#include <string>

#include "support/temp_dir.h"

namespace graphnet::base {
namespace kernel_file_test {

TEST(KernelFile, IsReadWhole) {
  const tests::TempDir folder;
  const std::string bytes(10000, 'x');
  EXPECT_EQ(read_kernel_file(folder.write("long", bytes).string()), bytes);
  EXPECT_EQ(read_kernel_line(folder.write("line", "1024 K\n").string()), "1024 K");
  EXPECT_NE(read_kernel_file("/proc/self/stat").find("unit_base"), std::string::npos);
}

// As a file of a process that ends between the opening and the read: a folder can be opened, too.
TEST(KernelFile, IsEmptyWhereReadingFails) {
  EXPECT_EQ(read_kernel_file("/proc/self"), "");
  EXPECT_EQ(read_kernel_line("/proc/self/no_such_file"), "");
}

}  // namespace kernel_file_test
}  // namespace graphnet::base
