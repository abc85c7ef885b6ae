// SPDX-License-Identifier: MIT
#include "split/operators.h"

#include <algorithm>
#include <string_view>
#include <utility>

namespace graphnet::split {

namespace {

using base::Code;
using base::Status;
using graph::Expression;
using graph::ExpressionKind;
using graph::Program;
using graph::Statement;
using graph::StatementKind;

/// Python's names of operator symbols, as in its module `operator`.
constexpr std::pair<std::string_view, std::string_view> kSymbols[] = {
    {"+", "add"}, {"-", "sub"},     {"*", "mul"},     {"/", "truediv"}, {"//", "floordiv"},
    {"%", "mod"}, {"**", "pow"},    {"@", "matmul"},  {"&", "and_"},    {"|", "or_"},
    {"^", "xor"}, {"<<", "lshift"}, {">>", "rshift"}, {"<", "lt"},      {"<=", "le"},
    {">", "gt"},  {">=", "ge"},     {"==", "eq"},     {"!=", "ne"}};

std::string symbol_name(const std::string& symbol) {
  for (const auto& [text, name] : kSymbols) {
    if (text == symbol) return std::string(name);
  }
  return symbol;
}

/// "linear" of torch._C._nn.linear; "sym_size.int" of torch.ops.aten.sym_size.int.
std::string function_name(const std::string& path) {
  constexpr std::string_view kOps = "torch.ops.";
  const std::size_t name = path.rfind('.') + 1;
  if (path.rfind(kOps, 0) != 0) return path.substr(name);
  return path.substr(std::min(path.find('.', kOps.size()) + 1, name));
}

std::string name_of(const Expression& value) {
  switch (value.kind) {
    case ExpressionKind::kMethod:
      return "Tensor." + value.text;
    case ExpressionKind::kCall:
      return function_name(value.text);
    case ExpressionKind::kBinary:
    case ExpressionKind::kCompare:
      return symbol_name(value.text);
    case ExpressionKind::kUnary:
      return value.text == "-" ? "neg" : "invert";
    case ExpressionKind::kSubscript:
      return "getitem";
    case ExpressionKind::kAttribute:
      return "getattr";
    default:
      return "";
  }
}

/// "": a statement that is no operator.
std::string name_of(const Statement& statement) {
  switch (statement.kind) {
    case StatementKind::kAssign:
      return name_of(statement.value);
    case StatementKind::kAugmented:
      return "i" + symbol_name(statement.text);
    case StatementKind::kSetItem:
      return "setitem";
    case StatementKind::kRelease:
      break;
  }
  return "";
}

/// How calls change the number of open regions.
constexpr std::pair<std::string_view, int> kRegionCalls[] = {{"_enter_autocast", 1},
                                                             {"_exit_autocast", -1},
                                                             {"_vmap_increment_nesting", 1},
                                                             {"_vmap_decrement_nesting", -1}};

int opened_by(const std::string& name) {
  for (const auto& [call, change] : kRegionCalls) {
    if (call == name) return change;
  }
  return 0;
}

/// The same expression with `_` for every variable.
std::string pattern(const Expression& expression, const Program& nameless) {
  return expression.kind == ExpressionKind::kNone ? ""
                                                  : graph::format_expression(nameless, expression);
}

}  // namespace

std::vector<Operator> operators_of(const Program& program) {
  std::vector<Operator> operators;
  int open = 0;
  for (std::size_t i = 0; i < program.statements.size(); ++i) {
    std::string name = name_of(program.statements[i]);
    if (!name.empty()) {
      if (!operators.empty()) operators.back().end = i;
      const bool opens_inside = open > 0;
      open += opened_by(name);
      operators.push_back({i, 0, std::move(name), opens_inside});
    }
  }
  if (!operators.empty()) operators.back().end = program.statements.size();
  return operators;
}

std::vector<std::string> operator_patterns(const Program& program,
                                           const std::vector<Operator>& operators) {
  Program nameless;
  nameless.variables.assign(program.variables.size(), "_");
  std::vector<std::string> patterns;
  for (const Operator& one : operators) {
    const Statement& statement = program.statements[one.first];
    patterns.push_back(one.name + "[" + pattern(statement.index, nameless) + "] " +
                       pattern(statement.value, nameless));
  }
  return patterns;
}

Status check_range(const std::vector<Operator>& operators, const Range& range) {
  const auto text = "[" + std::to_string(range.first) + ", " + std::to_string(range.end) + ")";
  if (range.first >= range.end || range.end > operators.size()) {
    return Status(Code::kInput, "no range of operators: " + text)
        .add_hint("the sample has " + std::to_string(operators.size()) + ", counted from 0");
  }
  for (const std::size_t cut : {range.first, range.end}) {
    if (cut >= operators.size() || !operators[cut].opens_inside) continue;
    std::size_t before = cut;
    while (operators[before].opens_inside) --before;
    std::size_t behind = cut;
    while (behind < operators.size() && operators[behind].opens_inside) ++behind;
    return Status(Code::kInput, text + " is cut at operator " + std::to_string(cut) +
                                    ", inside an autocast or vmap region")
        .add_hint("cut at " + std::to_string(before) + " or " + std::to_string(behind));
  }
  return Status::ok();
}

}  // namespace graphnet::split
