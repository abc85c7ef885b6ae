// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"
#include "graph/program.h"

namespace graphnet::sample {

/// Longest source text that is read.
///
/// units    bytes
/// source   20 times the largest file of the dataset (3.8 MB)
inline constexpr std::size_t kMaxSourceBytes = std::size_t{64} << 20;

enum class TokenKind : std::uint8_t {
  kEnd,
  kNewline,   ///< end of a line that holds tokens, outside brackets
  kName,      ///< names and keywords
  kInteger,   ///< decimal digits without a sign
  kFloat,     ///< digits with a point or an exponent, without a sign
  kString,    ///< `text` is what stands between the quotes
  kOperator,  ///< longest match: "**=" is one token
  kError,     ///< `reason` says what is wrong; ends every parse
};

/// A piece of the source; `text` points into it.
struct Token {
  TokenKind kind = TokenKind::kEnd;
  graph::Position position;
  std::string_view text;
  const char* reason = nullptr;  ///< kError only
};

/// Splits Python source into tokens, one at a time, without copying.
///
/// Line ends inside brackets, comments and blank lines are skipped. A copy of a Lexer is a cheap
/// bookmark: two copies read independently.
///
/// units    text: ASCII; line ends are LF or CR LF
/// errors   a kError token for bytes outside ASCII, NUL, characters that the language lacks,
///          malformed numbers, and strings with escapes or line ends
class Lexer {
 public:
  /// Both views must outlive the lexer and its tokens.
  Lexer(std::string_view text, std::string_view file);

  /// The token to read next.
  const Token& token() const { return token_; }
  /// The token after that.
  const Token& following();
  void advance();

  bool is_operator(std::string_view text) const {
    return token_.kind == TokenKind::kOperator && token_.text == text;
  }
  bool is_name(std::string_view text) const {
    return token_.kind == TokenKind::kName && token_.text == text;
  }
  /// Reads the operator if it comes next.
  bool accept(std::string_view text);
  /// Reads an operator that must come next.
  base::Status expect(std::string_view text);
  /// Reads a name (a keyword, say) that must come next.
  base::Status expect_name(std::string_view text);
  /// Reads a line end that must come next; the end of the text is one.
  base::Status expect_newline();

  /// White space before the first token of its line.
  static std::string_view indentation(const Token& first);

  /// "file:line:column: expected <what>, found <current token>" with the line and a caret.
  base::Status expected(std::string_view what) const;
  /// "file:line:column: <message>" with the line and a caret.
  base::Status error(graph::Position position, std::string_view message) const;

 private:
  Token read();
  Token read_name();
  Token read_number();
  Token read_string();
  Token read_operator();
  Token read_end();
  Token take(TokenKind kind, std::size_t num_bytes);
  Token failure(const char* reason) const;
  graph::Position position() const;
  bool skip_to_token(Token* line_end);
  void start_line();

  std::string_view text_;
  std::string_view file_;
  const char* cursor_;
  const char* end_;
  const char* line_start_;
  std::int32_t line_ = 1;
  std::int32_t depth_ = 0;
  bool line_has_tokens_ = false;
  bool has_following_ = false;
  Token token_;
  Token following_;
};

/// Value of an integer token, `-` applied.
///
/// errors   false if it does not fit
bool integer_value(std::string_view digits, bool negative, std::int64_t* value);

/// Value of a float token, correctly rounded.
///
/// errors   false if it overflows or underflows
bool float_value(std::string_view digits, double* value);

/// The text in single quotes for a message, cut when long.
std::string in_quotes(std::string_view text);

}  // namespace graphnet::sample
