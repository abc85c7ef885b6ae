// SPDX-License-Identifier: MIT
#include "graph/program.h"

#include <cmath>

#include "base/text.h"
#include "graph/infix.h"

namespace graphnet::graph {

namespace {

/// What an expression is written with.
struct Form {
  const Program& program;
  const Spelling& spelling;
};

std::string format(const Form& form, const Expression& expression);

std::string format_number(const Spelling& spelling, double value) {
  if (std::isnan(value)) return std::string(spelling.nan);
  if (std::isinf(value)) return (value > 0 ? "" : "-") + std::string(spelling.inf);
  return base::python_float(value);
}

std::string format_list(const Form& form, const Expression& expression, std::size_t first) {
  std::string text;
  for (std::size_t i = first; i < expression.children.size(); ++i) {
    if (i != first) text += ", ";
    if (i < expression.keywords.size() && !expression.keywords[i].empty()) {
      text.append(expression.keywords[i]).append(form.spelling.equals);
    }
    text += format(form, expression.children[i]);
  }
  return text;
}

/// A string literal of Python. In single quotes if that saves escapes: model.py has none.
std::string format_string(const std::string& text, char preferred) {
  const bool has_double = text.find('"') != std::string::npos;
  const bool has_single = text.find('\'') != std::string::npos;
  char quote = preferred;
  if (has_double != has_single) quote = has_double ? '\'' : '"';
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
std::string format_operand(const Form& form, const Expression& expression, int least) {
  std::string text = format(form, expression);
  return precedence_of(expression) < least ? "(" + text + ")" : text;
}

std::string format_infix(const Form& form, const Expression& expression) {
  const int precedence = precedence_of(expression);
  const bool is_power = precedence == kPowerPrecedence;
  const bool is_compare = precedence == kComparePrecedence;
  // A sign may follow `**` but not precede it: (-1) ** x is not -1 ** x.
  const int left = is_power || is_compare ? precedence + 1 : precedence;
  const int right = is_power ? kSignPrecedence : precedence + 1;
  return format_operand(form, expression.children[0], left) + " " + expression.text + " " +
         format_operand(form, expression.children[1], right);
}

/// What a method, an attribute or a subscript follows; a number's point would become part of it.
std::string format_base(const Form& form, const Expression& base) {
  const bool is_number =
      base.kind == ExpressionKind::kInteger || base.kind == ExpressionKind::kFloat;
  return format_operand(form, base, is_number ? kAtomPrecedence + 1 : kAtomPrecedence);
}

std::string format_device(const Spelling& spelling, const Expression& expression) {
  std::string text =
      std::string(spelling.device) + "(type=" + format_string(expression.text, spelling.quote);
  if (expression.integer >= 0) text += ", index=" + std::to_string(expression.integer);
  return text + ")";
}

/// Python needs no brackets around the tuple in `x[a, b]`.
std::string format_index(const Form& form, const Expression& index) {
  const bool is_bare = !form.spelling.has_index_brackets && index.kind == ExpressionKind::kTuple &&
                       !index.children.empty();
  const std::string text = format(form, index);
  return "[" + (is_bare ? text.substr(1, text.size() - 2) : text) + "]";
}

std::string format_tuple(const Form& form, const Expression& expression) {
  const std::string inner = format_list(form, expression, 0);
  return "(" + inner + (expression.children.size() == 1 ? ",)" : ")");
}

std::string format(const Form& form, const Expression& e) {
  switch (e.kind) {
    case ExpressionKind::kNone:
      return "None";
    case ExpressionKind::kBool:
      return e.integer ? "True" : "False";
    case ExpressionKind::kInteger:
      return std::to_string(e.integer);
    case ExpressionKind::kFloat:
      return format_number(form.spelling, e.number);
    case ExpressionKind::kString:
      return format_string(e.text, form.spelling.quote);
    case ExpressionKind::kEllipsis:
      return std::string(form.spelling.ellipsis);
    case ExpressionKind::kDType:
    case ExpressionKind::kMemoryFormat:
    case ExpressionKind::kLayout:
      return "torch." + e.text;
    case ExpressionKind::kDevice:
      return format_device(form.spelling, e);
    case ExpressionKind::kVariable:
      return form.program.variables[static_cast<std::size_t>(e.variable)];
    case ExpressionKind::kTuple:
      return format_tuple(form, e);
    case ExpressionKind::kList:
      return "[" + format_list(form, e, 0) + "]";
    case ExpressionKind::kSlice:
      return "slice(" + format_list(form, e, 0) + ")";
    case ExpressionKind::kCall:
      return e.text + "(" + format_list(form, e, 0) + ")";
    case ExpressionKind::kMethod:
      return format_base(form, e.children[0]) + "." + e.text + "(" + format_list(form, e, 1) + ")";
    case ExpressionKind::kBinary:
    case ExpressionKind::kCompare:
      return format_infix(form, e);
    case ExpressionKind::kUnary:
      return e.text + format_operand(form, e.children[0], kSignPrecedence);
    case ExpressionKind::kSubscript:
      return format_base(form, e.children[0]) + format_index(form, e.children[1]);
    case ExpressionKind::kAttribute:
      return format_base(form, e.children[0]) + "." + e.text;
  }
  return "?";
}

}  // namespace

Expression variable_expression(VariableId variable) {
  Expression expression;
  expression.kind = ExpressionKind::kVariable;
  expression.variable = variable;
  return expression;
}

Expression integer_expression(std::int64_t value) {
  Expression expression;
  expression.kind = ExpressionKind::kInteger;
  expression.integer = value;
  return expression;
}

std::string format_position(const Program& program, Position position) {
  return program.file + ":" + std::to_string(position.line) + ":" + std::to_string(position.column);
}

std::string format_expression(const Program& program, const Expression& expression,
                              const Spelling& spelling) {
  return format({program, spelling}, expression);
}

std::string format_index(const Program& program, const Expression& index,
                         const Spelling& spelling) {
  return format_index(Form{program, spelling}, index);
}

}  // namespace graphnet::graph
