// SPDX-License-Identifier: MIT
#include "base/kernel_file.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/file.h"

namespace graphnet::base {

namespace {

constexpr std::size_t kFirstRead = 4096;

}  // namespace

// Not by a stream: its iterator throws if the process ends between the opening and the read. And a
// stream takes a millisecond for the two thousand mappings of a worker.
std::string read_kernel_file(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  std::string text;
  std::size_t size = 0;
  ssize_t got = 0;
  do {
    size += static_cast<std::size_t>(got);
    if (size == text.size()) text.resize(size == 0 ? kFirstRead : 2 * size);
    got = ::read(file.get(), text.data() + size, text.size() - size);
  } while (got > 0);
  text.resize(got < 0 ? 0 : size);
  return text;
}

std::string read_kernel_line(const std::string& path) {
  std::string text = read_kernel_file(path);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

}  // namespace graphnet::base
