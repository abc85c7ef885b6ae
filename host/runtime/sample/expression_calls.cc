// SPDX-License-Identifier: MIT
// Calls of ExpressionParser: torch functions and dtypes, slice(), device(), argument lists.
#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "base/dtype.h"
#include "base/result.h"
#include "sample/expression_parser.h"

namespace graphnet::sample {

namespace {

using base::Status;
using graph::Expression;
using graph::ExpressionKind;

// Bounds the search for repeated keywords, which is quadratic.
constexpr std::size_t kMaxKeywords = 64;

/// "float32" for "float32" and "float"; empty if torch has no such dtype.
std::string_view canonical_dtype(std::string_view name) {
  constexpr std::array<std::array<std::string_view, 2>, 6> kAliases = {{{"float", "float32"},
                                                                        {"double", "float64"},
                                                                        {"half", "float16"},
                                                                        {"long", "int64"},
                                                                        {"int", "int32"},
                                                                        {"short", "int16"}}};
  for (const auto& [alias, canonical] : kAliases) {
    if (name == alias) return canonical;
  }
  return base::dtype_from_name(name) ? name : std::string_view();
}

/// What `torch.<name>` means where it is not called and no dtype.
struct ConstantRow {
  std::string_view name;
  ExpressionKind kind;
  double number;
};
constexpr ConstantRow kConstants[] = {
    {"contiguous_format", ExpressionKind::kMemoryFormat, 0},
    {"preserve_format", ExpressionKind::kMemoryFormat, 0},
    {"channels_last", ExpressionKind::kMemoryFormat, 0},
    {"channels_last_3d", ExpressionKind::kMemoryFormat, 0},
    {"strided", ExpressionKind::kLayout, 0},
    {"inf", ExpressionKind::kFloat, std::numeric_limits<double>::infinity()},
    {"nan", ExpressionKind::kFloat, std::numeric_limits<double>::quiet_NaN()},
    {"pi", ExpressionKind::kFloat, 3.141592653589793},
    {"e", ExpressionKind::kFloat, 2.718281828459045},
};

Expression none_at(graph::Position position) {
  Expression none;
  none.position = position;
  return none;
}

}  // namespace

Status ExpressionParser::parse_torch(Expression* out) {
  const char* begin = lexer_.token().text.data();
  std::string_view last;
  std::size_t num_parts = 0;
  lexer_.advance();
  while (lexer_.accept(".")) {
    if (lexer_.token().kind != TokenKind::kName) return lexer_.expected("a name after '.'");
    last = lexer_.token().text;
    ++num_parts;
    lexer_.advance();
  }
  if (num_parts == 0) return lexer_.expected("'.' after 'torch'");
  const bool is_called = lexer_.is_operator("(");
  if (is_called && num_parts == 1 && last == "device") return parse_device(out);
  if (is_called) {
    out->kind = ExpressionKind::kCall;
    out->text.assign(begin, last.data() + last.size());
    // Dots are separate tokens, so blanks or line ends may stand beside them.
    out->text.erase(
        std::remove_if(out->text.begin(), out->text.end(), [](char c) { return c <= ' '; }),
        out->text.end());
    return parse_arguments(out);
  }
  if (num_parts > 1) return lexer_.expected("'(' after a function of torch");
  return parse_torch_constant(last, out);
}

Status ExpressionParser::parse_torch_constant(std::string_view name, Expression* out) {
  for (const ConstantRow& row : kConstants) {
    if (row.name != name) continue;
    out->kind = row.kind;
    out->number = row.number;
    if (row.kind != ExpressionKind::kFloat) out->text = name;
    return Status::ok();
  }
  const std::string_view dtype = canonical_dtype(name);
  if (dtype.empty()) return lexer_.expected("'(' (" + in_quotes(name) + " is no dtype of torch)");
  out->kind = ExpressionKind::kDType;
  out->text = dtype;
  return Status::ok();
}

Status ExpressionParser::parse_slice(Expression* out) {
  const graph::Position position = out->position;
  lexer_.advance();
  GN_RETURN_IF_ERROR(parse_arguments(out));
  auto& bounds = out->children;
  const bool has_keywords = std::any_of(out->keywords.begin(), out->keywords.end(),
                                        [](const std::string& word) { return !word.empty(); });
  if (has_keywords || bounds.empty() || bounds.size() > 3) {
    return lexer_.error(position, "slice() takes one to three positional bounds");
  }
  if (bounds.size() == 1) bounds.insert(bounds.begin(), none_at(position));
  if (bounds.size() == 2) bounds.push_back(none_at(position));
  out->kind = ExpressionKind::kSlice;
  out->keywords.clear();
  return Status::ok();
}

Status ExpressionParser::parse_device(Expression* out) {
  Expression call;
  call.position = out->position;
  GN_RETURN_IF_ERROR(parse_arguments(&call));
  out->kind = ExpressionKind::kDevice;
  out->integer = -1;
  for (std::size_t i = 0; i < call.children.size(); ++i) {
    const Expression& argument = call.children[i];
    const std::string& keyword = call.keywords[i];
    const bool is_type = keyword == "type" || (keyword.empty() && i == 0);
    const bool is_index = keyword == "index" || (keyword.empty() && i == 1);
    if (is_type && argument.kind == ExpressionKind::kString) {
      out->text = argument.text;
    } else if (is_index && argument.kind == ExpressionKind::kInteger && argument.integer >= 0) {
      out->integer = argument.integer;
    } else {
      return lexer_.error(argument.position, "expected device(type=\"...\", index=...)");
    }
  }
  if (out->text.empty()) return lexer_.error(call.position, "device() without a type");
  return Status::ok();
}

// A method's receiver is already pending.
Status ExpressionParser::parse_arguments(Expression* out) {
  GN_RETURN_IF_ERROR(enter());
  const std::size_t first =
      pending_.size() - (out->kind == ExpressionKind::kMethod ? std::size_t{1} : 0);
  GN_RETURN_IF_ERROR(lexer_.expect("("));
  bool seen_keyword = false;
  while (!lexer_.is_operator(")")) {
    GN_RETURN_IF_ERROR(parse_argument(first, &seen_keyword));
    if (!lexer_.accept(",")) break;
  }
  GN_RETURN_IF_ERROR(lexer_.expect(")"));
  const std::size_t count = pending_.size() - first;
  const auto keywords = pending_keywords_.end() - static_cast<std::ptrdiff_t>(count);
  out->keywords.assign(keywords, pending_keywords_.end());
  pending_keywords_.erase(keywords, pending_keywords_.end());
  adopt_pending(first, out);
  --depth_;
  return Status::ok();
}

Status ExpressionParser::parse_argument(std::size_t first, bool* seen_keyword) {
  const Token name = lexer_.token();
  std::string_view keyword;
  if (name.kind == TokenKind::kName && lexer_.following().kind == TokenKind::kOperator &&
      lexer_.following().text == "=") {
    const auto count = static_cast<std::ptrdiff_t>(pending_.size() - first);
    const auto begin = pending_keywords_.end() - count;
    if (std::find(begin, pending_keywords_.end(), name.text) != pending_keywords_.end()) {
      return lexer_.error(name.position, "keyword " + in_quotes(name.text) + " is repeated");
    }
    if (*seen_keyword && static_cast<std::size_t>(count) > kMaxKeywords) {
      return lexer_.error(name.position, "too many keyword arguments");
    }
    keyword = name.text;
    *seen_keyword = true;
    lexer_.advance();
    lexer_.advance();
  } else if (*seen_keyword) {
    return lexer_.expected("a keyword argument (positional ones come first)");
  }
  Expression value;
  GN_RETURN_IF_ERROR(parse_expression(&value));
  pending_.push_back(std::move(value));
  pending_keywords_.push_back(keyword);
  return Status::ok();
}

}  // namespace graphnet::sample
