// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace graphnet::graph {

inline bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
/// Characters of words: names of arguments, types, keywords.
inline bool is_word(char c) {
  return is_letter(c) || is_digit(c);
}
/// 0 to 15; -1 for what is no hexadecimal digit in lower case.
inline int hex_digit(char c) {
  if (is_digit(c)) return c - '0';
  return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/// A position in a text that moves forward over what is expected there. Everything stops at the
/// first failure: later calls change nothing and give empty values, until somebody asks for
/// status().
///
/// errors   kInput "<file>:<line>:<column>: expected ..., found ..."
class TextCursor {
 public:
  /// Borrows both.
  TextCursor(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  bool ok() const { return status_.is_ok(); }
  const base::Status& status() const { return status_; }
  std::size_t size() const { return text_.size(); }
  std::size_t position() const { return at_; }
  void move_to(std::size_t position) { at_ = position; }
  bool at_end() const { return at_ >= text_.size(); }
  /// The next character; a line feed at the end.
  char peek() const { return at_end() ? '\n' : text_[at_]; }

  void fail_at(std::size_t at, const std::string& message);
  /// Something else was expected here.
  void fail(const std::string& expected);

  bool accept(char c);
  void expect(char c);
  void blanks();
  /// The longest run of characters of a class.
  template <typename Class>
  std::string_view run(Class is_member) {
    const std::size_t start = at_;
    while (ok() && !at_end() && is_member(text_[at_])) ++at_;
    return text_.substr(start, at_ - start);
  }
  std::string_view word(const char* what);
  /// This word and the blanks after it.
  void expect_word(const char* wanted);
  /// Empty lines and lines that begin with '#'.
  void skip_comments();
  void end_line();
  /// Quoted text; a quote, a backslash and bytes (x and two digits) after a backslash.
  std::string string();
  std::int64_t integer();

 private:
  char escaped();

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  base::Status status_;
};

}  // namespace graphnet::graph
