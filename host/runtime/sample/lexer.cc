// SPDX-License-Identifier: MIT
#include "sample/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <system_error>

namespace graphnet::sample {

namespace {

using base::Code;
using base::Status;
using graph::Position;

enum CharacterClass : std::uint8_t {
  kBlank = 1,
  kLetter = 2,
  kDigit = 4,
  kSingle = 8,   // an operator of one character
  kSecond = 16,  // may be the second character of a longer operator
};

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes = {};
  for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = kLetter;
  for (unsigned c = 'A'; c <= 'Z'; ++c) classes[c] = kLetter;
  for (unsigned c = '0'; c <= '9'; ++c) classes[c] = kDigit;
  classes['_'] = kLetter;
  classes[' '] = kBlank;
  classes['\t'] = kBlank;
  for (const char c : std::string_view("()[]{},=.:+-*/%@&|~<>;^")) {
    classes[static_cast<unsigned char>(c)] |= kSingle;
  }
  for (const char c : std::string_view("=*/>.")) {
    classes[static_cast<unsigned char>(c)] |= kSecond;
  }
  return classes;
}

constexpr std::array<std::uint8_t, 256> kClasses = make_classes();

bool has_class(char c, unsigned classes) {
  return (kClasses[static_cast<unsigned char>(c)] & classes) != 0;
}

bool is_ascii(char c) {
  return c != '\0' && static_cast<unsigned char>(c) < 0x80;
}

const char* skip_class(const char* cursor, const char* end, unsigned classes) {
  while (cursor != end && has_class(*cursor, classes)) ++cursor;
  return cursor;
}

// Longest first, so that the first match is the longest.
constexpr std::array<std::string_view, 18> kLongOperators = {
    "...", "**=", "//=", "**", "//", "==", "!=", "<=", ">=",
    "+=",  "-=",  "*=",  "/=", "%=", "@=", "&=", "|=", "->"};

// Parts of a long line that an error message shows on either side of the column.
constexpr std::size_t kShownBefore = 60;
constexpr std::size_t kShownAfter = 40;

/// The line and a caret below the column, both indented by two blanks.
std::string excerpt(std::string_view line, std::size_t column) {
  const std::size_t at = std::min(column, line.size());
  const bool cut_before = at > kShownBefore;
  const std::size_t begin = cut_before ? at - kShownBefore : 0;
  const std::size_t length = std::min(line.size() - begin, at - begin + kShownAfter);
  std::string shown(line.substr(begin, length));
  // A tab or a control character would move the caret away from its column.
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c == '\t'; }, ' ');
  std::replace_if(
      shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  const std::string prefix = cut_before ? "  ..." : "  ";
  const std::string suffix = begin + length < line.size() ? "..." : "";
  return prefix + shown + suffix + "\n" + std::string(prefix.size() + at - begin, ' ') + "^";
}

std::string_view line_of(std::string_view text, std::int32_t line) {
  std::size_t begin = 0;
  for (std::int32_t i = 1; i < line; ++i) {
    const std::size_t end = text.find('\n', begin);
    if (end == std::string_view::npos) return {};
    begin = end + 1;
  }
  const std::size_t end = std::min(text.find('\n', begin), text.size());
  std::string_view found = text.substr(begin, end - begin);
  if (!found.empty() && found.back() == '\r') found.remove_suffix(1);
  return found;
}

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd:
      return "end of file";
    case TokenKind::kNewline:
      return "end of line";
    case TokenKind::kName:
      return "name " + in_quotes(token.text);
    case TokenKind::kInteger:
    case TokenKind::kFloat:
      return "number " + in_quotes(token.text);
    case TokenKind::kString:
      return "string " + in_quotes(token.text);
    case TokenKind::kOperator:
    case TokenKind::kError:
      break;
  }
  return in_quotes(token.text);
}

const char* reason_of(char c) {
  if (c == '\0') return "NUL byte in the text";
  if (static_cast<unsigned char>(c) >= 0x80) return "byte outside ASCII";
  return "character that is not part of the language";
}

}  // namespace

Lexer::Lexer(std::string_view text, std::string_view file)
    : text_(text),
      file_(file),
      cursor_(text.data()),
      end_(text.data() + text.size()),
      line_start_(text.data()) {
  advance();
}

void Lexer::advance() {
  token_ = has_following_ ? following_ : read();
  has_following_ = false;
}

const Token& Lexer::following() {
  if (!has_following_) following_ = read();
  has_following_ = true;
  return following_;
}

bool Lexer::accept(std::string_view text) {
  if (!is_operator(text)) return false;
  advance();
  return true;
}

Status Lexer::expect(std::string_view text) {
  if (!is_operator(text)) return expected(in_quotes(text));
  advance();
  return Status::ok();
}

Status Lexer::expect_name(std::string_view text) {
  if (!is_name(text)) return expected(in_quotes(text));
  advance();
  return Status::ok();
}

Status Lexer::expect_newline() {
  if (token_.kind == TokenKind::kNewline)
    advance();
  else if (token_.kind != TokenKind::kEnd)
    return expected("end of line");
  return Status::ok();
}

std::string_view Lexer::indentation(const Token& first) {
  const auto width = static_cast<std::size_t>(first.position.column - 1);
  return {first.text.data() - width, width};
}

Status Lexer::expected(std::string_view what) const {
  if (token_.kind == TokenKind::kError) return error(token_.position, token_.reason);
  return error(token_.position, "expected " + std::string(what) + ", found " + describe(token_));
}

Status Lexer::error(Position position, std::string_view message) const {
  std::string full(file_);
  full += ":" + std::to_string(position.line) + ":" + std::to_string(position.column) + ": ";
  full += message;
  full += "\n" + excerpt(line_of(text_, position.line),
                         static_cast<std::size_t>(std::max(position.column - 1, 0)));
  return Status(Code::kInput, std::move(full));
}

Position Lexer::position() const {
  return {line_, static_cast<std::int32_t>(cursor_ - line_start_) + 1};
}

Token Lexer::take(TokenKind kind, std::size_t num_bytes) {
  const Token taken = {kind, position(), {cursor_, num_bytes}, nullptr};
  cursor_ += num_bytes;
  return taken;
}

Token Lexer::failure(const char* reason) const {
  return {TokenKind::kError, position(), {cursor_, 0}, reason};
}

void Lexer::start_line() {
  ++cursor_;
  ++line_;
  line_start_ = cursor_;
}

// Moves to the next token; false if a line that holds tokens ends before it.
bool Lexer::skip_to_token(Token* line_end) {
  while (true) {
    cursor_ = skip_class(cursor_, end_, kBlank);
    if (cursor_ == end_) return true;
    if (*cursor_ == '#') {
      // Stops at a line end or at a byte that no comment may hold.
      while (cursor_ != end_ && *cursor_ != '\n' && is_ascii(*cursor_)) ++cursor_;
      continue;
    }
    if (*cursor_ == '\r' && end_ - cursor_ > 1 && cursor_[1] == '\n') ++cursor_;
    if (*cursor_ != '\n') return true;
    const Token newline = {TokenKind::kNewline, position(), {cursor_, 1}, nullptr};
    start_line();
    if (depth_ > 0 || !line_has_tokens_) continue;
    line_has_tokens_ = false;
    *line_end = newline;
    return false;
  }
}

Token Lexer::read() {
  Token line_end;
  if (!skip_to_token(&line_end)) return line_end;
  if (cursor_ == end_) return read_end();
  line_has_tokens_ = true;
  const char c = *cursor_;
  if (has_class(c, kLetter)) return read_name();
  const bool is_fraction = c == '.' && end_ - cursor_ > 1 && has_class(cursor_[1], kDigit);
  if (has_class(c, kDigit) || is_fraction) return read_number();
  if (c == '"' || c == '\'') return read_string();
  return read_operator();
}

Token Lexer::read_end() {
  const bool is_open = line_has_tokens_ && depth_ == 0;
  line_has_tokens_ = false;
  return {is_open ? TokenKind::kNewline : TokenKind::kEnd, position(), {cursor_, 0}, nullptr};
}

Token Lexer::read_name() {
  const char* last = skip_class(cursor_ + 1, end_, kLetter | kDigit);
  return take(TokenKind::kName, static_cast<std::size_t>(last - cursor_));
}

Token Lexer::read_number() {
  TokenKind kind = TokenKind::kInteger;
  const char* last = skip_class(cursor_, end_, kDigit);
  if (last != end_ && *last == '.') {
    kind = TokenKind::kFloat;
    last = skip_class(last + 1, end_, kDigit);
  }
  if (last != end_ && (*last == 'e' || *last == 'E')) {
    kind = TokenKind::kFloat;
    ++last;
    if (last != end_ && (*last == '+' || *last == '-')) ++last;
    if (last == end_ || !has_class(*last, kDigit)) return failure("malformed number");
    last = skip_class(last, end_, kDigit);
  }
  const bool is_glued = last != end_ && has_class(*last, kLetter);
  const bool is_octal = kind == TokenKind::kInteger && *cursor_ == '0' && last - cursor_ > 1;
  if (is_glued || is_octal) return failure("malformed number");
  return take(kind, static_cast<std::size_t>(last - cursor_));
}

Token Lexer::read_string() {
  const char quote = *cursor_;
  const char* last = cursor_ + 1;
  while (last != end_ && *last != quote) {
    if (*last == '\n' || *last == '\r') break;
    if (*last == '\\') return failure("string with an escape");
    if (!is_ascii(*last)) return failure(reason_of(*last));
    ++last;
  }
  if (last == end_ || *last != quote) return failure("string without its closing quote");
  Token token = take(TokenKind::kString, static_cast<std::size_t>(last + 1 - cursor_));
  token.text = token.text.substr(1, token.text.size() - 2);
  return token;
}

Token Lexer::read_operator() {
  const std::string_view rest(cursor_, static_cast<std::size_t>(end_ - cursor_));
  const char c = *cursor_;
  if (c == '(' || c == '[' || c == '{') ++depth_;
  if ((c == ')' || c == ']' || c == '}') && depth_ > 0) --depth_;
  if (rest.size() > 1 && has_class(rest[1], kSecond)) {
    for (const std::string_view candidate : kLongOperators) {
      if (rest.substr(0, candidate.size()) != candidate) continue;
      return take(TokenKind::kOperator, candidate.size());
    }
  }
  if (!has_class(c, kSingle)) return failure(reason_of(c));
  return take(TokenKind::kOperator, 1);
}

bool integer_value(std::string_view digits, bool negative, std::int64_t* value) {
  std::uint64_t magnitude = 0;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), magnitude);
  if (parsed.ec != std::errc()) return false;
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (magnitude > kMax + (negative ? 1 : 0)) return false;
  *value = static_cast<std::int64_t>(negative ? 0 - magnitude : magnitude);
  return true;
}

bool float_value(std::string_view digits, double* value) {
  return std::from_chars(digits.data(), digits.data() + digits.size(), *value).ec == std::errc();
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  const bool is_long = text.size() > kLongest;
  return "'" + std::string(text.substr(0, kLongest)) + (is_long ? "...'" : "'");
}

}  // namespace graphnet::sample
