// SPDX-License-Identifier: MIT
#include "rewrite/stable_names.h"

namespace graphnet::rewrite {

namespace {

using graph::Expression;

/// What the table has in place of a spelling; empty: nothing.
std::string_view other_spelling(std::string_view spelling, Apis apis) {
  for (const StableName& row : kStableNames) {
    const bool is_stable = apis == Apis::kStable;
    if (spelling == (is_stable ? row.unstable : row.stable)) {
      return is_stable ? row.stable : row.unstable;
    }
  }
  return {};
}

void respell(Expression& expression, Apis apis, std::map<std::string, int>& counts) {
  if (expression.kind == graph::ExpressionKind::kCall) {
    const std::string_view spelling = other_spelling(expression.text, apis);
    if (!spelling.empty()) {
      ++counts[expression.text];
      expression.text = spelling;
    }
  }
  for (Expression& child : expression.children) respell(child, apis, counts);
}

}  // namespace

std::map<std::string, int> respell_calls(graph::Program& program, Apis apis) {
  std::map<std::string, int> counts;
  for (graph::Statement& statement : program.statements) {
    respell(statement.value, apis, counts);
    respell(statement.index, apis, counts);
  }
  return counts;
}

}  // namespace graphnet::rewrite
