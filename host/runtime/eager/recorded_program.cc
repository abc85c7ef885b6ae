// SPDX-License-Identifier: MIT
#include "eager/recorded_program.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "graph/reads.h"

namespace graphnet::eager {

using graph::Expression;
using graph::ExpressionKind;
using graph::Statement;
using graph::StatementKind;
using graph::VariableId;

namespace {

Expression item_of(Expression base, std::int64_t index) {
  Expression item;
  item.kind = ExpressionKind::kSubscript;
  item.children = {std::move(base), graph::integer_expression(index)};
  return item;
}

}  // namespace

RecordedProgram::RecordedProgram(const DispatchRecord& record, const std::string& file)
    : record_(record) {
  program_.file = file;
  program_.returned.kind = ExpressionKind::kList;
  for (const DispatchedValue& value : record.values()) names_.insert(value.name);
}

VariableId RecordedProgram::new_variable(const std::string& name) {
  program_.variables.push_back(name);
  return static_cast<VariableId>(program_.variables.size() - 1);
}

void RecordedProgram::take(ValueId value) {
  define(value, take(record_.values()[static_cast<std::size_t>(value)].name));
}

VariableId RecordedProgram::take(const std::string& name) {
  names_.insert(name);
  graph::Parameter parameter;
  parameter.name = name;
  program_.parameters.push_back(std::move(parameter));
  return new_variable(name);
}

VariableId RecordedProgram::assign(const std::string& target, Expression expression) {
  names_.insert(target);
  Statement statement;
  statement.target = new_variable(target);
  statement.value = std::move(expression);
  program_.statements.push_back(std::move(statement));
  return program_.statements.back().target;
}

std::string RecordedProgram::free_name(const std::string& base) {
  std::string name = base;
  for (int i = 1; names_.count(name) > 0; ++i) name = base + "_" + std::to_string(i);
  return name;
}

Expression RecordedProgram::renumbered(Expression expression) const {
  if (expression.kind == ExpressionKind::kVariable) {
    expression.variable = variable_of(expression.variable);
  }
  for (Expression& child : expression.children) child = renumbered(std::move(child));
  return expression;
}

void RecordedProgram::add(std::size_t call, const std::set<ValueId>& wanted) {
  const DispatchedCall& recorded = record_.calls()[call];
  const auto& values = record_.values();
  const auto is_new = [&](ValueId id) {
    return id != kNoValue &&
           values[static_cast<std::size_t>(id)].call == static_cast<std::int32_t>(call);
  };
  Expression expression = renumbered(recorded.expression);
  const bool is_one = recorded.results.size() == 1 && !recorded.is_list[0];
  if (is_one && is_new(recorded.results[0][0])) {
    const ValueId id = recorded.results[0][0];
    define(id, assign(values[static_cast<std::size_t>(id)].name, std::move(expression)));
    return;
  }
  // Names as torch.fx has them: of a builtin, with a number.
  const VariableId all =
      assign(free_name(recorded.overload->operator_name()), std::move(expression));
  for (const auto& ids : recorded.results) {
    for (const ValueId id : ids) {
      if (!is_new(id) || wanted.count(id) == 0) continue;
      const DispatchedValue& value = values[static_cast<std::size_t>(id)];
      Expression item = graph::variable_expression(all);
      for (const std::int64_t index : value.path) item = item_of(std::move(item), index);
      define(id, assign(value.name, std::move(item)));
    }
  }
}

void RecordedProgram::add_releases() {
  const std::set<VariableId> returned(program_.results.begin(), program_.results.end());
  std::set<VariableId> seen = returned;
  std::vector<Statement> reversed;
  for (auto statement = program_.statements.rbegin(); statement != program_.statements.rend();
       ++statement) {
    Statement release;
    release.kind = StatementKind::kRelease;
    std::set<VariableId> used = graph::reads_of(*statement);
    used.insert(statement->target);
    for (const VariableId id : used) {
      if (seen.insert(id).second) release.released.push_back(id);
    }
    if (!release.released.empty()) reversed.push_back(std::move(release));
    reversed.push_back(std::move(*statement));
  }
  program_.statements.assign(std::make_move_iterator(reversed.rbegin()),
                             std::make_move_iterator(reversed.rend()));
}

graph::Program RecordedProgram::finish(const std::vector<VariableId>& returned) {
  for (const VariableId id : returned) {
    program_.results.push_back(id);
    program_.returned.children.push_back(graph::variable_expression(id));
  }
  add_releases();
  return std::move(program_);
}

Expression permute_expression(VariableId variable, const std::vector<std::int64_t>& order) {
  Expression call;
  call.kind = ExpressionKind::kCall;
  call.text = "torch.ops.aten.permute.default";
  Expression list;
  list.kind = ExpressionKind::kList;
  for (const std::int64_t dim : order) list.children.push_back(graph::integer_expression(dim));
  call.children = {graph::variable_expression(variable), std::move(list)};
  call.keywords = {"", ""};
  return call;
}

}  // namespace graphnet::eager
