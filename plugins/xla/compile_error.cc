// SPDX-License-Identifier: MIT
#include "xla/compile_error.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

namespace graphnet::xla {

namespace {

constexpr std::size_t kLongestLine = 300;

/// Line `number` of the text, shortened around `column`; empty if there is none.
std::string line_of(std::string_view text, long number, long column) {
  for (long line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return "";
    text.remove_prefix(end + 1);
  }
  text = text.substr(0, text.find('\n'));
  if (text.size() <= kLongestLine) return std::string(text);
  const auto at = static_cast<std::size_t>(std::max(column, 1L) - 1);
  const std::size_t begin = std::min(at < 100 ? 0 : at - 100, text.size() - kLongestLine);
  return (begin == 0 ? "" : "...") + std::string(text.substr(begin, kLongestLine)) + "...";
}

/// Location of the diagnostic that begins at `begin`: "-:LINE:COLUMN: "; false if there is none.
bool read_location(const std::string& message, std::size_t begin, long& line, long& column) {
  char* end = nullptr;
  line = std::strtol(message.c_str() + begin + 2, &end, 10);
  if (line <= 0 || *end != ':') return false;
  column = std::strtol(end + 1, &end, 10);
  return column > 0 && *end == ':';
}

}  // namespace

std::string explain_compile_error(const std::string& message, const std::string& text) {
  long line = 0;
  long column = 0;
  std::size_t begin = message.find("-:");
  while (begin != std::string::npos && !read_location(message, begin, line, column)) {
    begin = message.find("-:", begin + 2);
  }
  if (begin == std::string::npos) return message;
  const std::string diagnostic = message.substr(begin + 2, message.find('\n', begin) - begin - 2);
  return "line " + diagnostic + "\n  " + line_of(text, line, column);
}

}  // namespace graphnet::xla
