// SPDX-License-Identifier: MIT
#include "graph/program.h"

#include <array>
#include <cmath>
#include <cstdio>

#include "graph/infix.h"

namespace graphnet::graph {

namespace {

std::string format_number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  std::array<char, 40> buffer = {};
  std::snprintf(buffer.data(), buffer.size(), "%.17g", value);
  std::string text = buffer.data();
  // A float stays a float when the text is parsed again.
  if (text.find_first_of(".eni") == std::string::npos) text += ".0";
  return text;
}

std::string format_list(const Program& program, const Expression& expression, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < expression.children.size(); ++i) {
    if (i != first) text += ", ";
    if (i < expression.keywords.size() && !expression.keywords[i].empty()) {
      text += expression.keywords[i] + "=";
    }
    text += format_expression(program, expression.children[i]);
  }
  return text;
}

/// A string literal of Python. In single quotes if that saves escapes: model.py has none.
std::string format_string(const std::string& text) {
  const bool has_double = text.find('"') != std::string::npos;
  const bool has_single = text.find('\'') != std::string::npos;
  const char quote = has_double && !has_single ? '\'' : '"';
  std::string literal(1, quote);
  for (const char byte : text) {
    if (byte == quote || byte == '\\') literal += '\\';
    literal += byte;
  }
  return literal + quote;
}

bool is_negative(const Expression& expression) {
  if (expression.kind == ExpressionKind::kInteger) return expression.integer < 0;
  return expression.kind == ExpressionKind::kFloat && std::signbit(expression.number) &&
         !std::isnan(expression.number);
}

int precedence_of(const Expression& expression) {
  if (expression.kind == ExpressionKind::kUnary || is_negative(expression)) return kSignPrecedence;
  const bool is_infix =
      expression.kind == ExpressionKind::kBinary || expression.kind == ExpressionKind::kCompare;
  const InfixOperator* infix = is_infix ? find_infix(expression.text) : nullptr;
  return infix == nullptr ? kAtomPrecedence : infix->precedence;
}

/// In parentheses if it binds less tightly than `least`.
std::string format_operand(const Program& program, const Expression& expression, int least) {
  std::string text = format_expression(program, expression);
  return precedence_of(expression) < least ? "(" + text + ")" : text;
}

std::string format_infix(const Program& program, const Expression& expression) {
  const int precedence = precedence_of(expression);
  const bool is_power = precedence == kPowerPrecedence;
  const bool is_compare = precedence == kComparePrecedence;
  // A sign may follow `**` but not precede it: (-1) ** x is not -1 ** x.
  const int left = is_power || is_compare ? precedence + 1 : precedence;
  const int right = is_power ? kSignPrecedence : precedence + 1;
  return format_operand(program, expression.children[0], left) + " " + expression.text + " " +
         format_operand(program, expression.children[1], right);
}

/// What a method, an attribute or a subscript follows; a number's point would become part of it.
std::string format_base(const Program& program, const Expression& base) {
  const bool is_number =
      base.kind == ExpressionKind::kInteger || base.kind == ExpressionKind::kFloat;
  return format_operand(program, base, is_number ? kAtomPrecedence + 1 : kAtomPrecedence);
}

std::string format_device(const Expression& expression) {
  std::string text = "device(type=" + format_string(expression.text);
  if (expression.integer >= 0) text += ", index=" + std::to_string(expression.integer);
  return text + ")";
}

std::string format_tuple(const Program& program, const Expression& expression) {
  const std::string inner = format_list(program, expression, 0);
  return "(" + inner + (expression.children.size() == 1 ? ",)" : ")");
}

}  // namespace

std::string format_position(const Program& program, Position position) {
  return program.file + ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
}

std::string format_expression(const Program& program, const Expression& e) {
  switch (e.kind) {
    case ExpressionKind::kNone:
      return "None";
    case ExpressionKind::kBool:
      return e.integer ? "True" : "False";
    case ExpressionKind::kInteger:
      return std::to_string(e.integer);
    case ExpressionKind::kFloat:
      return format_number(e.number);
    case ExpressionKind::kString:
      return format_string(e.text);
    case ExpressionKind::kEllipsis:
      return "Ellipsis";
    case ExpressionKind::kDType:
    case ExpressionKind::kMemoryFormat:
    case ExpressionKind::kLayout:
      return "torch." + e.text;
    case ExpressionKind::kDevice:
      return format_device(e);
    case ExpressionKind::kVariable:
      return program.variables[static_cast<std::size_t>(e.variable)];
    case ExpressionKind::kTuple:
      return format_tuple(program, e);
    case ExpressionKind::kList:
      return "[" + format_list(program, e, 0) + "]";
    case ExpressionKind::kSlice:
      return "slice(" + format_list(program, e, 0) + ")";
    case ExpressionKind::kCall:
      return e.text + "(" + format_list(program, e, 0) + ")";
    case ExpressionKind::kMethod:
      return format_base(program, e.children[0]) + "." + e.text + "(" + format_list(program, e, 1) +
             ")";
    case ExpressionKind::kBinary:
    case ExpressionKind::kCompare:
      return format_infix(program, e);
    case ExpressionKind::kUnary:
      return e.text + format_operand(program, e.children[0], kSignPrecedence);
    case ExpressionKind::kSubscript:
      return format_base(program, e.children[0]) + "[" + format_expression(program, e.children[1]) +
             "]";
    case ExpressionKind::kAttribute:
      return format_base(program, e.children[0]) + "." + e.text;
  }
  return "?";
}

}  // namespace graphnet::graph
