// SPDX-License-Identifier: MIT
#include "report/terminal_text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace graphnet::report {

namespace {

struct Character {
  std::uint32_t code = 0;  // U+FFFD if the bytes are no UTF-8
  std::size_t num_bytes = 1;
};

// Decodes the first character; `text` is not empty.
Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  const Character invalid{0xfffd, 1};
  if (lead < 0xc2 || lead > 0xf4 || text.size() < length) return invalid;
  std::uint32_t code = lead & (0x7fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0u) != 0x80) return invalid;
    code = code << 6 | (byte(i) & 0x3fu);
  }
  const std::uint32_t smallest = length == 2 ? 0x80 : length == 3 ? 0x800 : 0x10000;
  const bool surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < smallest || code > 0x10ffff || surrogate) return invalid;
  return {code, length};
}

struct Range {
  std::uint32_t first;
  std::uint32_t last;
};

constexpr Range kZeroWidth[] = {
    {0x0300, 0x036f}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfeff, 0xfeff}};
constexpr Range kDoubleWidth[] = {{0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},
                                  {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
                                  {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f},
                                  {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x20000, 0x3fffd}};

template <std::size_t N>
bool is_in(const Range (&ranges)[N], std::uint32_t code) {
  for (const Range& range : ranges) {
    if (code >= range.first && code <= range.last) return true;
  }
  return false;
}

int character_width(std::uint32_t code) {
  if (is_in(kZeroWidth, code)) return 0;
  return is_in(kDoubleWidth, code) ? 2 : 1;
}

// C0, DEL, C1, line and paragraph separators, and the marks that reorder text.
bool is_control(std::uint32_t code) {
  return code < 0x20 || (code >= 0x7f && code <= 0x9f) || code == 0x2028 || code == 0x2029 ||
         (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

}  // namespace

std::string printable(std::string_view text) {
  std::string safe;
  while (!text.empty()) {
    const Character character = first_character(text);
    if (is_control(character.code)) {
      if (!safe.empty() && safe.back() != ' ') safe += ' ';
    } else if (character.code == 0xfffd) {
      safe += "\xef\xbf\xbd";
    } else {
      safe += text.substr(0, character.num_bytes);
    }
    text.remove_prefix(character.num_bytes);
  }
  while (!safe.empty() && safe.back() == ' ') safe.pop_back();
  return safe;
}

std::string printable_lines(std::string_view text) {
  std::string lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines += printable(text.substr(0, end));
    if (end == std::string_view::npos) break;
    lines += '\n';
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string in_one_line(std::string_view message) {
  const std::size_t caret = message.find_last_not_of(' ');
  if (caret == std::string_view::npos || message[caret] != '^') return printable(message);
  const std::size_t caret_line = message.rfind('\n', caret);
  if (caret_line == std::string_view::npos || caret_line == 0 ||
      message.find_first_not_of(' ', caret_line + 1) != caret) {
    return printable(message);
  }
  return printable(message.substr(0, message.rfind('\n', caret_line - 1)));
}

int display_width(std::string_view text) {
  int width = 0;
  while (!text.empty()) {
    const Character character = first_character(text);
    width += character_width(character.code);
    text.remove_prefix(character.num_bytes);
  }
  return width;
}

std::string cut_to_width(std::string_view text, int width) {
  if (display_width(text) <= width) return std::string(text);
  if (width < 1) return "";
  std::string kept;
  int used = 1;  // of the ellipsis
  while (!text.empty()) {
    const Character character = first_character(text);
    used += character_width(character.code);
    if (used > width) break;
    kept += text.substr(0, character.num_bytes);
    text.remove_prefix(character.num_bytes);
  }
  return kept + "…";
}

std::string cut_middle(std::string_view text, int width) {
  if (display_width(text) <= width) return std::string(text);
  if (width < 3) return cut_to_width(text, width);
  // The end tells names apart more often than the beginning.
  const int tail_width = width / 2;
  std::string_view tail = text;
  while (display_width(tail) > tail_width) tail.remove_prefix(first_character(tail).num_bytes);
  std::string head = cut_to_width(text, width - tail_width);
  return head + std::string(tail);
}

namespace {

/// What is left of `text`, which is longer, behind as many characters as have room in `width`
/// cells; at least one is taken.
std::string_view without_cells(std::string_view text, int width) {
  do {
    const Character character = first_character(text);
    width -= character_width(character.code);
    text.remove_prefix(character.num_bytes);
  } while (!text.empty() && character_width(first_character(text).code) <= width);
  return text;
}

}  // namespace

std::vector<std::string> wrapped(std::string_view text, int width, int indent) {
  std::vector<std::string> lines(1);
  int used = 0;
  const auto next_line = [&] {
    while (!lines.back().empty() && lines.back().back() == ' ') lines.back().pop_back();
    lines.emplace_back(static_cast<std::size_t>(indent), ' ');
    used = indent;
  };
  while (!text.empty()) {
    const std::size_t blanks = std::min(text.find_first_not_of(' '), text.size());
    const std::size_t end = std::min(text.find(' ', blanks), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    if (width > indent && used + display_width(word) > width && used > indent) {
      next_line();
      word.remove_prefix(blanks);
    }
    while (width > indent && used + display_width(word) > width) {
      const std::string_view rest = without_cells(word, width - used);
      lines.back() += word.substr(0, word.size() - rest.size());
      word = rest;
      if (!word.empty()) next_line();
    }
    lines.back() += word;
    used += display_width(word);
  }
  while (!lines.back().empty() && lines.back().back() == ' ') lines.back().pop_back();
  return lines;
}

std::string pad_right(std::string_view text, int width) {
  const int missing = width - display_width(text);
  return std::string(text) + std::string(missing > 0 ? static_cast<std::size_t>(missing) : 0, ' ');
}

std::string pad_left(std::string_view text, int width) {
  const int missing = width - display_width(text);
  return std::string(missing > 0 ? static_cast<std::size_t>(missing) : 0, ' ') + std::string(text);
}

std::string coloured(std::string_view text, Colour colour, bool enabled) {
  if (!enabled || text.empty()) return std::string(text);
  const char* code = colour == Colour::kOk        ? "\x1b[32m"
                     : colour == Colour::kFailed  ? "\x1b[31m"
                     : colour == Colour::kWarning ? "\x1b[33m"
                                                  : "\x1b[2m";
  return code + std::string(text) + "\x1b[0m";
}

std::string format_elapsed(double seconds) {
  char text[64];
  if (!(seconds > 0)) seconds = 0;
  const auto whole = static_cast<long long>(std::llround(std::fmin(seconds, 1e12)));
  if (seconds < 9.95) {
    std::snprintf(text, sizeof text, "%.1f s", seconds);
  } else if (whole < 60) {
    std::snprintf(text, sizeof text, "%lld s", whole);
  } else if (whole < 3600) {
    std::snprintf(text, sizeof text, "%lld min %02lld s", whole / 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%lld h %02lld min", whole / 3600, whole % 3600 / 60);
  }
  return text;
}

}  // namespace graphnet::report
