// SPDX-License-Identifier: MIT
#include "fuzz/promise.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "base/file.h"

namespace graphnet::fuzz {

namespace {

/// Reads "<number>:" from the front of `rest`; 0 if there is none.
std::size_t take_number(std::string_view& rest) {
  std::size_t number = 0;
  const auto read = std::from_chars(rest.data(), rest.data() + rest.size(), number);
  const auto length = static_cast<std::size_t>(read.ptr - rest.data());
  if (read.ec != std::errc() || length == rest.size() || rest[length] != ':') return 0;
  rest.remove_prefix(length + 1);
  return number;
}

std::string_view line_at(std::string_view text, std::size_t line) {
  std::size_t begin = 0;
  for (; line > 1; --line) begin = text.find('\n', begin) + 1;
  return text.substr(begin, std::min(text.find('\n', begin), text.size()) - begin);
}

}  // namespace

void expect(bool holds, std::string_view promise) {
  if (holds) return;
  std::fprintf(stderr, "broken promise: %.*s\n", static_cast<int>(promise.size()), promise.data());
  std::abort();
}

void expect_clear_failure(const base::Status& status, std::string_view file, std::string_view text,
                          bool needs_location) {
  std::string_view rest = status.message();
  expect(!rest.empty(), "a failure has a message");
  expect(rest.size() <= kMaxMessageBytes, "a message is short");
  for (const std::string& line : status.context()) {
    expect(line.size() <= kMaxMessageBytes, "a context line is short");
  }
  const std::string prefix = std::string(file) + ":";
  if (rest.substr(0, prefix.size()) == prefix) rest.remove_prefix(prefix.size());
  const std::size_t line = take_number(rest);
  const std::size_t column = take_number(rest);
  if (line == 0 && column == 0 && !needs_location) return;
  expect(line > 0 && column > 0, "a failure says line and column");
  const auto num_lines = static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1;
  expect(line <= num_lines, "the line exists");
  expect(column <= line_at(text, line).size() + 1, "the column lies in its line");
}

Scratch::Scratch() {
  std::string pattern = (std::filesystem::temp_directory_path() / "graphnet-fuzz-XXXXXX").string();
  expect(::mkdtemp(pattern.data()) != nullptr, "a folder can be made in TMPDIR");
  folder_ = pattern;
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

std::filesystem::path Scratch::write(const std::string& name, std::string_view content) const {
  const std::filesystem::path path = folder_ / name;
  const base::UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  expect(fd.is_open() && base::write_all(fd.get(), content).is_ok(), "TMPDIR can be written");
  return path;
}

}  // namespace graphnet::fuzz
