// SPDX-License-Identifier: MIT
#pragma once

#include "graph/program.h"

namespace graphnet::graph {

/// Calls `visit` for every function and method call in an expression, outer ones first.
template <typename Visit>
void visit_calls(const Expression& expression, Visit& visit) {
  if (expression.kind == ExpressionKind::kCall || expression.kind == ExpressionKind::kMethod) {
    visit(expression);
  }
  for (const Expression& child : expression.children) visit_calls(child, visit);
}

}  // namespace graphnet::graph
