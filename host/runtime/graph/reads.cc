// SPDX-License-Identifier: MIT
#include "graph/reads.h"

namespace graphnet::graph {

namespace {

void add_reads(const Expression& expression, std::set<VariableId>& reads) {
  if (expression.kind == ExpressionKind::kVariable) reads.insert(expression.variable);
  for (const Expression& child : expression.children) add_reads(child, reads);
}

void add_integers(Expression& expression, std::vector<std::int64_t*>& integers) {
  if (expression.kind == ExpressionKind::kInteger) integers.push_back(&expression.integer);
  for (Expression& child : expression.children) add_integers(child, integers);
}

}  // namespace

std::set<VariableId> reads_of(const Statement& statement) {
  std::set<VariableId> reads;
  add_reads(statement.value, reads);
  add_reads(statement.index, reads);
  const bool changes_target =
      statement.kind == StatementKind::kAugmented || statement.kind == StatementKind::kSetItem;
  if (changes_target) reads.insert(statement.target);
  return reads;
}

std::vector<std::int64_t*> written_integers(Program& program) {
  std::vector<std::int64_t*> integers;
  for (Statement& statement : program.statements) {
    add_integers(statement.index, integers);
    add_integers(statement.value, integers);
  }
  return integers;
}

std::string item_name(const std::string& variable, std::size_t index) {
  return variable + "_item" + std::to_string(index);
}

}  // namespace graphnet::graph
