// SPDX-License-Identifier: MIT
#include "graph/extra_results.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace graphnet::graph {

namespace {

Statement copy_of(VariableId target, VariableId source, Position position) {
  Expression variable = variable_expression(source);
  variable.position = position;
  Statement statement;
  statement.position = position;
  statement.target = target;
  statement.value.kind = ExpressionKind::kMethod;
  statement.value.position = position;
  statement.value.text = "clone";
  statement.value.children.push_back(std::move(variable));
  statement.value.keywords.emplace_back();
  return statement;
}

}  // namespace

Program with_extra_results(const Program& program, const std::vector<ExtraResult>& extra) {
  Program extended = program;
  const auto first = static_cast<VariableId>(program.variables.size());
  for (const ExtraResult& one : extra) {
    const std::string& name = program.variables[static_cast<std::size_t>(one.variable)];
    extended.results.push_back(static_cast<VariableId>(extended.variables.size()));
    // No name of a program has a space.
    extended.variables.push_back("value of " + name);
  }
  // From the end, so that positions of earlier copies stay right.
  std::vector<std::size_t> order(extra.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return extra[a].statement > extra[b].statement; });
  for (const std::size_t i : order) {
    const auto at = static_cast<std::ptrdiff_t>(extra[i].statement);
    const Position position = program.statements[extra[i].statement].position;
    extended.statements.insert(
        extended.statements.begin() + at,
        copy_of(first + static_cast<VariableId>(i), extra[i].variable, position));
  }
  return extended;
}

}  // namespace graphnet::graph
