// SPDX-License-Identifier: MIT
#include "sample/expression_parser.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "base/result.h"

namespace graphnet::sample {

namespace {

using base::Status;
using graph::Expression;
using graph::ExpressionKind;
using graph::VariableId;

constexpr int kMaxDepth = 64;
// Bounds memory (about 150 bytes a node): 20 times the largest program of the dataset.
constexpr std::size_t kMaxNodes = 4'000'000;

constexpr std::array<std::string_view, 10> kBinary = {"+", "-",  "*", "/", "//",
                                                      "%", "**", "@", "&", "|"};
constexpr std::array<std::string_view, 6> kCompare = {">", "<", ">=", "<=", "==", "!="};
constexpr std::array<std::string_view, 3> kAttributes = {"T", "real", "device"};

template <std::size_t N>
bool contains(const std::array<std::string_view, N>& words, std::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

ExpressionKind infix_kind(const Token& token) {
  if (token.kind != TokenKind::kOperator) return ExpressionKind::kNone;
  if (contains(kBinary, token.text)) return ExpressionKind::kBinary;
  if (contains(kCompare, token.text)) return ExpressionKind::kCompare;
  return ExpressionKind::kNone;
}

bool is_value(ExpressionKind kind) {
  switch (kind) {
    case ExpressionKind::kCall:
    case ExpressionKind::kMethod:
    case ExpressionKind::kBinary:
    case ExpressionKind::kCompare:
    case ExpressionKind::kUnary:
    case ExpressionKind::kSubscript:
    case ExpressionKind::kAttribute:
      return false;
    default:
      return true;
  }
}

}  // namespace

Status ExpressionParser::enter() {
  if (depth_ == kMaxDepth) {
    return lexer_.error(lexer_.token().position,
                        "brackets nest deeper than " + std::to_string(kMaxDepth) + " levels");
  }
  ++depth_;
  return Status::ok();
}

void ExpressionParser::adopt_pending(std::size_t first, Expression* out) {
  const auto begin = pending_.begin() + static_cast<std::ptrdiff_t>(first);
  out->children.assign(std::make_move_iterator(begin), std::make_move_iterator(pending_.end()));
  pending_.erase(begin, pending_.end());
}

Status ExpressionParser::require_value(const Expression& expression) const {
  if (is_value(expression.kind)) return Status::ok();
  return lexer_.error(expression.position,
                      "expected a name or a constant, found an expression (a statement computes "
                      "one operation: assign this part to a name first)");
}

Status ExpressionParser::parse_expression(Expression* out) {
  const bool is_negative = lexer_.is_operator("-");
  GN_RETURN_IF_ERROR(parse_operand(out));
  if (infix_kind(lexer_.token()) == ExpressionKind::kNone) return Status::ok();
  return parse_infix(is_negative, out);
}

Status ExpressionParser::parse_infix(bool left_is_negative, Expression* out) {
  const Token operation = lexer_.token();
  GN_RETURN_IF_ERROR(require_value(*out));
  if (left_is_negative && operation.text == "**") {
    return lexer_.error(out->position, "'-a ** b' means -(a ** b): write the parentheses");
  }
  lexer_.advance();
  Expression left = std::move(*out);
  Expression right;
  GN_RETURN_IF_ERROR(parse_value(&right));
  if (infix_kind(lexer_.token()) != ExpressionKind::kNone) {
    return lexer_.expected("end of the expression (a statement has one operator)");
  }
  *out = Expression();
  out->kind = infix_kind(operation);
  out->position = left.position;
  out->text = operation.text;
  out->children.reserve(2);
  out->children.push_back(std::move(left));
  out->children.push_back(std::move(right));
  return Status::ok();
}

Status ExpressionParser::parse_value(Expression* out) {
  GN_RETURN_IF_ERROR(parse_operand(out));
  return require_value(*out);
}

Status ExpressionParser::parse_operand(Expression* out) {
  if (++num_nodes_ > kMaxNodes) {
    return lexer_.error(lexer_.token().position, "the program is too large");
  }
  out->position = lexer_.token().position;
  if (lexer_.is_operator("-") || lexer_.is_operator("~")) return parse_unary(out);
  return parse_primary(out);
}

Status ExpressionParser::parse_unary(Expression* out) {
  const Token sign = lexer_.token();
  lexer_.advance();
  const Token operand = lexer_.token();
  const bool is_number = operand.kind == TokenKind::kInteger || operand.kind == TokenKind::kFloat;
  if (sign.text == "-" && is_number) return parse_number(true, out);
  if (operand.kind != TokenKind::kName)
    return lexer_.expected("a name after " + in_quotes(sign.text));
  Expression child;
  child.position = operand.position;
  GN_RETURN_IF_ERROR(parse_name(&child));
  if (sign.text == "-" && child.kind == ExpressionKind::kFloat) {
    out->kind = ExpressionKind::kFloat;
    out->number = -child.number;
    return Status::ok();
  }
  if (child.kind != ExpressionKind::kVariable) {
    return lexer_.error(operand.position, "expected a variable after " + in_quotes(sign.text));
  }
  out->kind = ExpressionKind::kUnary;
  out->text = sign.text;
  out->children.push_back(std::move(child));
  return Status::ok();
}

Status ExpressionParser::parse_primary(Expression* out) {
  const Token token = lexer_.token();
  switch (token.kind) {
    case TokenKind::kName:
      return parse_name(out);
    case TokenKind::kInteger:
    case TokenKind::kFloat:
      return parse_number(false, out);
    case TokenKind::kString:
      out->kind = ExpressionKind::kString;
      out->text = token.text;
      lexer_.advance();
      return Status::ok();
    default:
      break;
  }
  if (lexer_.is_operator("(")) return parse_brackets(out);
  if (lexer_.is_operator("[")) return parse_list(out);
  if (!lexer_.accept("...")) return lexer_.expected("a value");
  out->kind = ExpressionKind::kEllipsis;
  return Status::ok();
}

Status ExpressionParser::parse_number(bool negative, Expression* out) {
  const Token token = lexer_.token();
  if (token.kind == TokenKind::kInteger) {
    out->kind = ExpressionKind::kInteger;
    if (!integer_value(token.text, negative, &out->integer)) {
      return lexer_.error(token.position, "integer does not fit 64 bits");
    }
  } else {
    out->kind = ExpressionKind::kFloat;
    if (!float_value(token.text, &out->number)) {
      return lexer_.error(token.position, "number is outside the range of float64");
    }
    if (negative) out->number = -out->number;
  }
  lexer_.advance();
  return Status::ok();
}

Status ExpressionParser::parse_name(Expression* out) {
  if (lexer_.is_name("torch")) return parse_torch(out);
  bool is_keyword = false;
  GN_RETURN_IF_ERROR(parse_keyword(out, &is_keyword));
  if (is_keyword) return Status::ok();
  // A local variable shadows the imported name: one sample has a variable called `device`.
  if (scope_.find(lexer_.token().text).state != Scope::State::kUnknown) return parse_variable(out);
  return parse_free_name(out);
}

Status ExpressionParser::parse_keyword(Expression* out, bool* is_keyword) {
  const std::string_view text = lexer_.token().text;
  *is_keyword = text == "None" || text == "True" || text == "False";
  if (!*is_keyword) return Status::ok();
  out->kind = text == "None" ? ExpressionKind::kNone : ExpressionKind::kBool;
  out->integer = text == "True" ? 1 : 0;
  lexer_.advance();
  return Status::ok();
}

Status ExpressionParser::parse_free_name(Expression* out) {
  const Token name = lexer_.token();
  const bool is_called =
      lexer_.following().kind == TokenKind::kOperator && lexer_.following().text == "(";
  if (is_called && name.text == "slice") return parse_slice(out);
  if (is_called && name.text == "device" && has_device_) return parse_device(out);
  if (is_called && name.text != "device") {
    return lexer_.error(name.position, "unknown function " + in_quotes(name.text));
  }
  if (name.text == "Ellipsis") {
    out->kind = ExpressionKind::kEllipsis;
  } else if (name.text == "inf" && has_inf_) {
    out->kind = ExpressionKind::kFloat;
    out->number = std::numeric_limits<double>::infinity();
  } else {
    VariableId ignored = -1;
    return resolve(name, &ignored);
  }
  lexer_.advance();
  return Status::ok();
}

Status ExpressionParser::resolve(const Token& name, VariableId* variable) const {
  const Scope::Entry entry = scope_.find(name.text);
  *variable = entry.variable;
  switch (entry.state) {
    case Scope::State::kLive:
      return Status::ok();
    case Scope::State::kReleased:
      return lexer_.error(name.position, "name " + in_quotes(name.text) + " was released in line " +
                                             std::to_string(entry.released_in));
    case Scope::State::kUnknown:
      break;
  }
  const bool is_import = name.text == "device" || name.text == "inf";
  const std::string reason =
      is_import ? " is not imported (from torch import " + std::string(name.text) + ")"
                : " has no value here";
  return lexer_.error(name.position, "name " + in_quotes(name.text) + reason);
}

Status ExpressionParser::parse_variable(Expression* out) {
  GN_RETURN_IF_ERROR(resolve(lexer_.token(), &out->variable));
  out->kind = ExpressionKind::kVariable;
  lexer_.advance();
  if (lexer_.token().kind != TokenKind::kOperator) return Status::ok();
  if (lexer_.is_operator(".")) return parse_member(out);
  if (lexer_.is_operator("(")) return lexer_.expected("a function, not a variable, before '('");
  if (!lexer_.is_operator("[")) return Status::ok();
  Expression base = std::move(*out);
  Expression index;
  GN_RETURN_IF_ERROR(parse_index(&index));
  *out = Expression();
  out->kind = ExpressionKind::kSubscript;
  out->position = base.position;
  out->children.reserve(2);
  out->children.push_back(std::move(base));
  out->children.push_back(std::move(index));
  return Status::ok();
}

Status ExpressionParser::parse_member(Expression* out) {
  lexer_.advance();
  const Token member = lexer_.token();
  if (member.kind != TokenKind::kName) return lexer_.expected("a method or an attribute");
  lexer_.advance();
  Expression receiver = std::move(*out);
  *out = Expression();
  out->position = receiver.position;
  out->text = member.text;
  if (lexer_.is_operator("(")) {
    out->kind = ExpressionKind::kMethod;
    pending_.push_back(std::move(receiver));
    pending_keywords_.emplace_back();
    return parse_arguments(out);
  }
  if (!contains(kAttributes, member.text)) {
    return lexer_.error(member.position, "unknown attribute " + in_quotes(member.text) +
                                             " (known: T, real, device; a method needs '(')");
  }
  out->kind = ExpressionKind::kAttribute;
  out->children.push_back(std::move(receiver));
  return Status::ok();
}

Status ExpressionParser::parse_brackets(Expression* out) {
  GN_RETURN_IF_ERROR(enter());
  const graph::Position position = lexer_.token().position;
  lexer_.advance();
  if (lexer_.accept(")")) {
    out->kind = ExpressionKind::kTuple;
  } else {
    GN_RETURN_IF_ERROR(parse_expression(out));
    if (lexer_.is_operator(",")) {
      GN_RETURN_IF_ERROR(parse_tuple_rest(out));
      out->position = position;
    }
    GN_RETURN_IF_ERROR(lexer_.expect(")"));
  }
  --depth_;
  return Status::ok();
}

// `out` holds the first element and becomes the tuple; stops before the closing bracket.
Status ExpressionParser::parse_tuple_rest(Expression* out) {
  GN_RETURN_IF_ERROR(require_value(*out));
  const std::size_t first = pending_.size();
  const graph::Position position = out->position;
  pending_.push_back(std::move(*out));
  while (lexer_.accept(",")) {
    if (lexer_.is_operator(")") || lexer_.is_operator("]")) break;
    Expression element;
    GN_RETURN_IF_ERROR(parse_value(&element));
    pending_.push_back(std::move(element));
  }
  *out = Expression();
  out->kind = ExpressionKind::kTuple;
  out->position = position;
  adopt_pending(first, out);
  return Status::ok();
}

Status ExpressionParser::parse_list(Expression* out) {
  GN_RETURN_IF_ERROR(enter());
  lexer_.advance();
  const std::size_t first = pending_.size();
  while (!lexer_.is_operator("]")) {
    Expression element;
    GN_RETURN_IF_ERROR(parse_value(&element));
    pending_.push_back(std::move(element));
    if (!lexer_.accept(",")) break;
  }
  GN_RETURN_IF_ERROR(lexer_.expect("]"));
  out->kind = ExpressionKind::kList;
  adopt_pending(first, out);
  --depth_;
  return Status::ok();
}

Status ExpressionParser::parse_index(Expression* out) {
  GN_RETURN_IF_ERROR(enter());
  GN_RETURN_IF_ERROR(lexer_.expect("["));
  if (!lexer_.is_operator(":")) GN_RETURN_IF_ERROR(parse_value(out));
  if (lexer_.is_operator(",")) GN_RETURN_IF_ERROR(parse_tuple_rest(out));
  if (lexer_.is_operator(":")) return lexer_.expected("slice(a, b, c) instead of 'a:b:c'");
  GN_RETURN_IF_ERROR(lexer_.expect("]"));
  --depth_;
  return Status::ok();
}

}  // namespace graphnet::sample
