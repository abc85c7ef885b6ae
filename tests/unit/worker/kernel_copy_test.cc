// SPDX-License-Identifier: MIT
#include "worker/kernel_copy.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <numeric>
#include <vector>

#include "support/mentions.h"

namespace graphnet::worker {
namespace kernel_copy_test {

TEST(KernelCopy, CopiesBothWays) {
  std::vector<int> from(100'003);
  std::iota(from.begin(), from.end(), 0);
  const std::size_t num_bytes = from.size() * sizeof(int);
  std::vector<int> read(from.size());
  std::vector<int> written(from.size());
  EXPECT_TRUE(read_known_memory(from.data(), read.data(), num_bytes, "an output").is_ok());
  EXPECT_TRUE(write_known_memory(from.data(), written.data(), num_bytes, "an input").is_ok());
  EXPECT_EQ(read, from);
  EXPECT_EQ(written, from);
  EXPECT_TRUE(read_known_memory(nullptr, nullptr, 0, "nothing").is_ok());
}

// No handler of a signal runs: there is none, and the process would end.
TEST(KernelCopy, ClosedPagesAreAnError) {
  if (!kernel_copies()) GTEST_SKIP() << "a sandbox refuses";
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kPages = 40;
  auto* const pages = static_cast<char*>(
      ::mmap(nullptr, kPages * kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pages, MAP_FAILED);
  std::vector<char> other(kPages * kPage, 'x');
  for (const std::size_t closed : {std::size_t{0}, std::size_t{17}, kPages - 1}) {
    ASSERT_EQ(::mprotect(pages + closed * kPage, kPage, PROT_NONE), 0);
    const auto read = read_known_memory(pages, other.data(), other.size(), "an output");
    EXPECT_EQ(read.code(), base::Code::kPlugin) << closed;
    EXPECT_TRUE(tests::mentions(read.message(), {"an output", "closed"}));
    ASSERT_EQ(::mprotect(pages + closed * kPage, kPage, PROT_READ), 0);
    EXPECT_TRUE(read_known_memory(pages, other.data(), other.size(), "an output").is_ok());
    const auto written = write_known_memory(other.data(), pages, other.size(), "an input");
    EXPECT_EQ(written.code(), base::Code::kPlugin) << closed;
    EXPECT_TRUE(tests::mentions(written.message(), {"an input", "closed"}));
    ASSERT_EQ(::mprotect(pages + closed * kPage, kPage, PROT_READ | PROT_WRITE), 0);
  }
  ::munmap(pages, kPages * kPage);
}

}  // namespace kernel_copy_test
}  // namespace graphnet::worker
