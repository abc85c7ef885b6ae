// SPDX-License-Identifier: MIT
#include "supervise/line_reader.h"

namespace graphnet::supervise {

void LineReader::append(std::string_view bytes) {
  if (!is_overlong_) pending_ += bytes;
}

std::optional<std::string> LineReader::next_line() {
  const std::size_t end = pending_.find('\n', num_searched_);
  const std::size_t length = end == std::string::npos ? pending_.size() : end;
  if (length > max_line_bytes_) {
    is_overlong_ = true;
    pending_.clear();
    pending_.shrink_to_fit();
    num_searched_ = 0;
    return std::nullopt;
  }
  if (end == std::string::npos) {
    num_searched_ = pending_.size();
    return std::nullopt;
  }
  std::string line = pending_.substr(0, end);
  pending_.erase(0, end + 1);
  num_searched_ = 0;
  return line;
}

}  // namespace graphnet::supervise
