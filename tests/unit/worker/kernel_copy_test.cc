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

/// Pages that may be closed.
struct Pages {
  static constexpr std::size_t kPage = 4096;
  explicit Pages(std::size_t count) : num_bytes(count * kPage) {
    data = static_cast<char*>(
        ::mmap(nullptr, num_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  }
  ~Pages() { ::munmap(data, num_bytes); }
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  void allow(int how, std::size_t first, std::size_t count) const {
    ASSERT_EQ(::mprotect(data + first * kPage, count * kPage, how), 0);
  }

  char* data;
  std::size_t num_bytes;
};

// No handler of a signal runs: there is none, and the process would end.
TEST(KernelCopy, ClosedPagesAreAnError) {
  if (!kernel_copies()) GTEST_SKIP() << "a sandbox refuses";
  constexpr std::size_t kPages = 16;  // all are read by the kernel
  const Pages pages(kPages);
  std::vector<char> other(pages.num_bytes, 'x');
  for (const std::size_t closed : {std::size_t{0}, std::size_t{7}, kPages - 1}) {
    pages.allow(PROT_NONE, closed, 1);
    const auto read = read_known_memory(pages.data, other.data(), other.size(), "an output");
    EXPECT_EQ(read.code(), base::Code::kPlugin) << closed;
    EXPECT_TRUE(tests::mentions(read.message(), {"an output", "closed"}));
    pages.allow(PROT_READ, closed, 1);
    EXPECT_TRUE(read_known_memory(pages.data, other.data(), other.size(), "an output").is_ok());
    const auto written = write_known_memory(other.data(), pages.data, other.size(), "an input");
    EXPECT_EQ(written.code(), base::Code::kPlugin) << closed;
    EXPECT_TRUE(tests::mentions(written.message(), {"an input", "closed"}));
    pages.allow(PROT_READ | PROT_WRITE, closed, 1);
  }
}

TEST(KernelCopy, LooksAtSomePagesOfMany) {
  if (!kernel_copies()) GTEST_SKIP() << "a sandbox refuses";
  constexpr std::size_t kPages = 1024;
  const Pages pages(kPages);
  std::vector<char> other(pages.num_bytes, 'x');
  EXPECT_TRUE(read_known_memory(pages.data, other.data(), other.size(), "an output").is_ok());
  EXPECT_EQ(other, std::vector<char>(other.size(), 0));
  pages.allow(PROT_NONE, 0, kPages - 1);
  const auto read = read_known_memory(pages.data, other.data(), other.size(), "an output");
  EXPECT_EQ(read.code(), base::Code::kPlugin) << "all sixteen looks at the last page";
}

}  // namespace kernel_copy_test
}  // namespace graphnet::worker
