// SPDX-License-Identifier: MIT
#include "sample/expression_parser.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <string>
#include <utility>

#include "base/result.h"
#include "graph/infix.h"

namespace graphnet::sample {

namespace {

using base::Status;
using graph::Expression;
using graph::ExpressionKind;
using graph::VariableId;

constexpr int kMaxDepth = 64;
// Bounds the depth of a tree, which `x.t().t()` makes deeper without brackets.
constexpr int kMaxOperations = 256;
// Bounds memory (about 150 bytes a node): 20 times the largest program of the dataset.
constexpr std::size_t kMaxNodes = 4'000'000;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

constexpr std::array<std::string_view, 8> kAttributes = {"T",      "mT",    "real",  "imag",
                                                         "device", "dtype", "shape", "ndim"};

/// A name that `from torch import` can bind.
struct ImportRow {
  std::string_view name;
  bool is_number;
  double number;
};
constexpr ImportRow kImports[] = {
    {"device", false, 0}, {"inf", true, kInfinity}, {"nan", true, kNaN}};

const ImportRow* find_import(std::string_view name) {
  for (const ImportRow& row : kImports) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

const graph::InfixOperator* infix_of(const Token& token) {
  // Nearly every operand of a model.py ends at one of the two.
  const bool is_end = token.text == "," || token.text == ")";
  return token.kind == TokenKind::kOperator && !is_end ? graph::find_infix(token.text) : nullptr;
}

/// What may stand behind the last comma of several expressions.
bool ends_expressions(const Token& token) {
  const bool is_operator = token.kind == TokenKind::kOperator;
  return token.kind == TokenKind::kEnd || token.kind == TokenKind::kNewline ||
         (is_operator && (token.text == ")" || token.text == "]" || token.text == ";"));
}

bool is_known_attribute(std::string_view name) {
  return std::find(kAttributes.begin(), kAttributes.end(), name) != kAttributes.end();
}

std::string known_attributes() {
  std::string names;
  for (const std::string_view name : kAttributes) names.append(name).append(", ");
  return names;
}

/// False if it is no number, or the opposite of one that does not fit.
bool negate_constant(Expression* constant) {
  if (constant->kind == ExpressionKind::kFloat) {
    constant->number = -constant->number;
    return true;
  }
  const bool fits = constant->integer != std::numeric_limits<std::int64_t>::min();
  if (constant->kind != ExpressionKind::kInteger || !fits) return false;
  constant->integer = -constant->integer;
  return true;
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

Status ExpressionParser::count_operation() {
  if (++num_operations_ <= kMaxOperations) return Status::ok();
  return lexer_.error(lexer_.token().position, "the statement has more than " +
                                                   std::to_string(kMaxOperations) + " operations");
}

bool ExpressionParser::import_name(std::string_view name) {
  const ImportRow* row = find_import(name);
  if (row != nullptr) imports_.push_back(row->name);
  return row != nullptr;
}

bool ExpressionParser::is_imported(std::string_view name) const {
  return std::find(imports_.begin(), imports_.end(), name) != imports_.end();
}

// Precedence climbing: takes the operators that bind as tightly as `least_precedence` or more.
Status ExpressionParser::parse_infix(int least_precedence, Expression* out) {
  GN_RETURN_IF_ERROR(parse_operand(out));
  const graph::InfixOperator* infix = infix_of(lexer_.token());
  while (infix != nullptr && infix->precedence >= least_precedence) {
    GN_RETURN_IF_ERROR(count_operation());
    lexer_.advance();
    Expression left = std::move(*out);
    Expression right;
    const bool is_power = infix->precedence == graph::kPowerPrecedence;
    GN_RETURN_IF_ERROR(
        parse_infix(is_power ? graph::kSignPrecedence : infix->precedence + 1, &right));
    *out = Expression();
    out->kind = infix->kind;
    out->position = left.position;
    out->text = infix->text;
    out->children.reserve(2);
    out->children.push_back(std::move(left));
    out->children.push_back(std::move(right));
    infix = infix_of(lexer_.token());
    if (infix != nullptr && out->kind == ExpressionKind::kCompare && infix->kind == out->kind) {
      return lexer_.expected("end of the comparison ('a < b < c' means 'a < b and b < c')");
    }
  }
  return Status::ok();
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
  const Token& next = lexer_.following();
  const bool is_power = next.kind == TokenKind::kOperator && next.text == "**";
  if (sign.text == "-" && is_number && !is_power) return parse_number(true, out);
  GN_RETURN_IF_ERROR(count_operation());
  Expression child;
  GN_RETURN_IF_ERROR(parse_infix(graph::kSignPrecedence, &child));
  const bool is_negated = sign.text == "-" && negate_constant(&child);
  if (is_negated) {
    --num_operations_;  // a constant, of which a list may hold many
    child.position = out->position;
    *out = std::move(child);
    return Status::ok();
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
  if (lexer_.is_operator("(")) {
    GN_RETURN_IF_ERROR(parse_brackets(out));
    return parse_members(out);
  }
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
  if (lexer_.is_name("torch")) {
    GN_RETURN_IF_ERROR(parse_torch(out));
    return out->kind == ExpressionKind::kCall ? parse_members(out) : Status::ok();
  }
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
  if (is_called && name.text == "device" && is_imported(name.text)) {
    lexer_.advance();
    return parse_device(out);
  }
  const ImportRow* import = find_import(name.text);
  if (is_called && import == nullptr) {
    return lexer_.error(name.position, "unknown function " + in_quotes(name.text));
  }
  if (name.text == "Ellipsis") {
    out->kind = ExpressionKind::kEllipsis;
  } else if (import != nullptr && import->is_number && is_imported(name.text)) {
    out->kind = ExpressionKind::kFloat;
    out->number = import->number;
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
  if (name.text == "self") {
    return lexer_.error(name.position,
                        "an attribute of 'self' is a tensor that torch.fx kept in the module, and "
                        "no file of the sample holds it");
  }
  const std::string reason =
      find_import(name.text) != nullptr
          ? " is not imported (from torch import " + std::string(name.text) + ")"
          : " has no value here";
  return lexer_.error(name.position, "name " + in_quotes(name.text) + reason);
}

Status ExpressionParser::parse_variable(Expression* out) {
  GN_RETURN_IF_ERROR(resolve(lexer_.token(), &out->variable));
  out->kind = ExpressionKind::kVariable;
  lexer_.advance();
  if (lexer_.is_operator("(")) return lexer_.expected("a function, not a variable, before '('");
  return parse_members(out);
}

// What may follow a value: attributes, methods and subscripts.
Status ExpressionParser::parse_members(Expression* out) {
  while (true) {
    if (lexer_.is_operator(".")) {
      GN_RETURN_IF_ERROR(parse_member(out));
    } else if (lexer_.is_operator("[")) {
      GN_RETURN_IF_ERROR(parse_subscript(out));
    } else {
      return Status::ok();
    }
  }
}

Status ExpressionParser::parse_subscript(Expression* out) {
  GN_RETURN_IF_ERROR(count_operation());
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
  GN_RETURN_IF_ERROR(count_operation());
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
  if (!is_known_attribute(member.text)) {
    return lexer_.error(member.position, "unknown attribute " + in_quotes(member.text) +
                                             " (known: " + known_attributes() +
                                             "a method needs '(')");
  }
  out->kind = ExpressionKind::kAttribute;
  out->children.push_back(std::move(receiver));
  return Status::ok();
}

Status ExpressionParser::parse_brackets(Expression* out) {
  GN_RETURN_IF_ERROR(enter());
  lexer_.advance();
  if (lexer_.is_operator(")")) {
    out->kind = ExpressionKind::kTuple;
  } else {
    GN_RETURN_IF_ERROR(parse_expressions(out));
  }
  GN_RETURN_IF_ERROR(lexer_.expect(")"));
  --depth_;
  return Status::ok();
}

Status ExpressionParser::parse_expressions(Expression* out) {
  GN_RETURN_IF_ERROR(parse_expression(out));
  if (!lexer_.is_operator(",")) return Status::ok();
  const std::size_t first = pending_.size();
  const graph::Position position = out->position;
  pending_.push_back(std::move(*out));
  while (lexer_.accept(",")) {
    if (ends_expressions(lexer_.token())) break;
    Expression element;
    GN_RETURN_IF_ERROR(parse_expression(&element));
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
    GN_RETURN_IF_ERROR(parse_expression(&element));
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
  if (!lexer_.is_operator(":")) GN_RETURN_IF_ERROR(parse_expressions(out));
  if (lexer_.is_operator(":")) return lexer_.expected("slice(a, b, c) instead of 'a:b:c'");
  GN_RETURN_IF_ERROR(lexer_.expect("]"));
  --depth_;
  return Status::ok();
}

}  // namespace graphnet::sample
