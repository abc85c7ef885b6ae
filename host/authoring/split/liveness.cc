// SPDX-License-Identifier: MIT
#include "split/liveness.h"

#include "graph/reads.h"

namespace graphnet::split {

using graph::ExpressionKind;
using graph::Program;
using graph::Statement;
using graph::StatementKind;
using graph::VariableId;

Variables read_first(const Program& program, std::size_t first, std::size_t end) {
  Variables read;
  Variables known;
  for (std::size_t i = first; i < end; ++i) {
    const Statement& statement = program.statements[i];
    for (const VariableId variable : reads_of(statement)) {
      if (known.count(variable) == 0) read.insert(variable);
    }
    if (statement.kind == StatementKind::kAssign) known.insert(statement.target);
  }
  return read;
}

Variables assigned(const Program& program, std::size_t first, std::size_t end) {
  Variables targets;
  for (std::size_t i = first; i < end; ++i) {
    const Statement& statement = program.statements[i];
    if (statement.kind != StatementKind::kRelease) targets.insert(statement.target);
  }
  return targets;
}

std::vector<Variables> live_at(const Program& program, const std::vector<std::size_t>& cuts) {
  std::vector<Variables> result(cuts.size());
  Variables live(program.results.begin(), program.results.end());
  std::size_t next = cuts.size();
  for (std::size_t i = program.statements.size() + 1; i-- > 0;) {
    if (i < program.statements.size()) {
      const Statement& statement = program.statements[i];
      if (statement.kind == StatementKind::kAssign) live.erase(statement.target);
      live.merge(reads_of(statement));
    }
    for (; next > 0 && cuts[next - 1] == i; --next) result[next - 1] = live;
  }
  return result;
}

std::vector<VariableId> parameters_named(const Program& program) {
  std::vector<int> assignments(program.variables.size(), 0);
  for (const Statement& statement : program.statements) {
    if (statement.kind == StatementKind::kAssign) {
      ++assignments[static_cast<std::size_t>(statement.target)];
    }
  }
  std::vector<VariableId> named(program.variables.size(), -1);
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    if (assignments[i] == 0) named[i] = static_cast<VariableId>(i);
  }
  for (const Statement& statement : program.statements) {
    const bool is_name = statement.kind == StatementKind::kAssign &&
                         statement.value.kind == ExpressionKind::kVariable &&
                         assignments[static_cast<std::size_t>(statement.target)] == 1;
    if (!is_name) continue;
    const VariableId parameter = named[static_cast<std::size_t>(statement.value.variable)];
    if (parameter >= 0) named[static_cast<std::size_t>(statement.target)] = parameter;
  }
  return named;
}

}  // namespace graphnet::split
