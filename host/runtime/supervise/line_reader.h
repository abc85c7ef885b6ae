// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace graphnet::supervise {

/// Bound on a line of a worker: far above any record or graph as text (some hundred kilobytes), and
/// small against the memory of a machine.
inline constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20U;

/// Splits a byte stream into lines in bounded memory.
class LineReader {
 public:
  explicit LineReader(std::size_t max_line_bytes) : max_line_bytes_(max_line_bytes) {}

  void append(std::string_view bytes);
  /// The next complete line without its line feed, or nothing until more bytes come.
  std::optional<std::string> next_line();
  /// True once a line is longer than the limit; nothing after it can be read.
  bool is_overlong() const { return is_overlong_; }

 private:
  std::size_t max_line_bytes_;
  std::string pending_;
  std::size_t num_searched_ = 0;  // bytes of pending_ known to hold no line feed
  bool is_overlong_ = false;
};

}  // namespace graphnet::supervise
