// SPDX-License-Identifier: MIT
#include "graph/text_cursor.h"

#include <algorithm>
#include <charconv>
#include <system_error>

namespace graphnet::graph {

void TextCursor::fail_at(std::size_t at, const std::string& message) {
  if (!ok()) return;
  const std::string_view before = text_.substr(0, at);
  const auto line = std::count(before.begin(), before.end(), '\n') + 1;
  const std::size_t start = before.rfind('\n') + 1;  // npos + 1 is 0
  status_ = base::Status(base::Code::kInput, file_ + ":" + std::to_string(line) + ":" +
                                                 std::to_string(at - start + 1) + ": " + message);
}

void TextCursor::fail(const std::string& expected) {
  std::string found = "the end of the line";
  if (at_end()) {
    found = "the end of the file";
  } else if (peek() > ' ' && peek() <= '~') {
    found = std::string("'") + peek() + "'";
  } else if (peek() != '\n') {
    found = "a character that is not printable";
  }
  fail_at(at_, "expected " + expected + ", found " + found);
}

bool TextCursor::accept(char c) {
  if (!ok() || at_end() || text_[at_] != c) return false;
  ++at_;
  return true;
}

void TextCursor::expect(char c) {
  if (ok() && !accept(c)) fail(std::string("'") + c + "'");
}

void TextCursor::blanks() {
  while (!at_end() && text_[at_] == ' ') ++at_;
}

std::string_view TextCursor::word(const char* what) {
  const std::string_view found = run(is_word);
  if (found.empty()) fail(what);
  return found;
}

void TextCursor::expect_word(const char* wanted) {
  const std::size_t start = at_;
  if (run(is_word) == wanted) return blanks();
  at_ = start;
  fail(std::string("'") + wanted + "'");
}

void TextCursor::skip_comments() {
  while (ok() && !at_end() && (peek() == '#' || peek() == '\n')) {
    run([](char c) { return c != '\n'; });
    accept('\n');
  }
}

void TextCursor::end_line() {
  blanks();
  if (ok() && !at_end() && !accept('\n')) fail("the end of the line");
}

char TextCursor::escaped() {
  ++at_;
  if (accept('"')) return '"';
  if (accept('\\')) return '\\';
  expect('x');
  const int high = at_ + 1 < text_.size() ? hex_digit(text_[at_]) : -1;
  const int low = high >= 0 ? hex_digit(text_[at_ + 1]) : -1;
  if (low < 0) fail("two digits from 0 to f");
  at_ += 2;
  return static_cast<char>(high * 16 + low);
}

std::string TextCursor::string() {
  expect('"');
  std::string out;
  while (ok() && !at_end() && peek() != '"' && peek() != '\n') {
    if (peek() == '\\') {
      out += escaped();
    } else {
      out += text_[at_++];
    }
  }
  expect('"');
  return out;
}

std::int64_t TextCursor::integer() {
  std::int64_t value = 0;
  const char* const end = text_.data() + text_.size();
  const char* const start = text_.data() + at_;
  const auto parsed = std::from_chars(start, end, value);
  if (parsed.ec == std::errc::invalid_argument) fail("an integer");
  if (parsed.ec == std::errc::result_out_of_range) fail_at(at_, "the integer is too large");
  if (ok()) at_ += static_cast<std::size_t>(parsed.ptr - start);
  return value;
}

}  // namespace graphnet::graph
