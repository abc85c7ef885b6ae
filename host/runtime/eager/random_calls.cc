// SPDX-License-Identifier: MIT
#include "eager/random_calls.h"

#include <algorithm>
#include <string>
#include <vector>

#include "eager/call_table.h"
#include "eager/overload.h"
#include "graph/visit.h"

namespace graphnet::eager {

using graph::Expression;
using graph::ExpressionKind;

namespace {

// Reads of a variable anywhere but in a release: an unread result is dead.
std::vector<bool> read_variables(const graph::Program& program) {
  std::vector<bool> read(program.variables.size(), false);
  const auto mark = [&read](const auto& self, const Expression& expression) -> void {
    if (expression.kind == ExpressionKind::kVariable) {
      read[static_cast<std::size_t>(expression.variable)] = true;
    }
    for (const Expression& child : expression.children) self(self, child);
  };
  for (const graph::Statement& statement : program.statements) {
    mark(mark, statement.value);
    mark(mark, statement.index);
  }
  for (const graph::VariableId id : program.results) read[static_cast<std::size_t>(id)] = true;
  return read;
}

bool is_zero(const Expression& value) {
  if (value.kind == ExpressionKind::kInteger) return value.integer == 0;
  return value.kind == ExpressionKind::kFloat && value.number == 0;
}

// Attention is tagged random for the sake of its dropout, which nearly every graph switches off.
// Generating torch's normals for nothing costs as much as NumPy's, which are needed anyway.
bool has_dropout(const Expression& call, const Overload& overload) {
  const auto& arguments = overload.handle.schema().arguments();
  const auto found = std::find_if(arguments.begin(), arguments.end(),
                                  [](const auto& each) { return each.name() == "dropout_p"; });
  if (found == arguments.end()) return true;  // random by itself
  const auto position = static_cast<std::size_t>(found - arguments.begin());
  for (std::size_t i = 0; i < call.children.size(); ++i) {
    const std::string& keyword = call.keywords[i];
    if (keyword == "dropout_p" || (keyword.empty() && i == position)) {
      return !is_zero(call.children[i]);
    }
  }
  return false;  // its default is 0
}

bool is_random_operator(const Expression& call) {
  const CallTarget target = resolve_call(call);
  if (target.aten_name.empty()) return false;  // dropout and the like: inactive or refused
  const auto& overloads = overloads_of(target.aten_name);
  return !overloads.empty() && target.aten_name.find("dropout") == std::string::npos &&
         overloads.front().handle.hasTag(at::Tag::nondeterministic_seeded) &&
         has_dropout(call, overloads.front());
}

}  // namespace

bool has_live_random_call(const graph::Program& program) {
  const std::vector<bool> read = read_variables(program);
  bool found = false;
  for (const graph::Statement& statement : program.statements) {
    const bool dead = statement.kind == graph::StatementKind::kAssign &&
                      !read[static_cast<std::size_t>(statement.target)];
    if (dead) continue;
    auto visit = [&found](const Expression& call) { found = found || is_random_operator(call); };
    graph::visit_calls(statement.value, visit);
  }
  return found;
}

}  // namespace graphnet::eager
