// SPDX-License-Identifier: MIT
#include "sample/beginning.h"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "base/file.h"
#include "graph/reads.h"
#include "sample/lexer.h"

namespace graphnet::sample {

namespace {

namespace fs = std::filesystem;
using base::Code;
using base::Result;
using base::Status;
using graph::Expression;
using graph::ExpressionKind;
using graph::Program;
using graph::Statement;
using graph::StatementKind;
using graph::VariableId;

using Variables = std::set<VariableId>;

/// Methods and attributes whose value is no tensor.
constexpr std::array<std::string_view, 9> kPlainMembers = {
    "size", "dim", "numel", "item", "tolist", "shape", "dtype", "device", "ndim"};

/// Whether the value is no tensor: a constant, a size, what is computed from those. `plain` holds
/// the variables of which that is true.
bool is_plain(const Expression& expression, const Variables& plain) {
  const bool is_member =
      expression.kind == ExpressionKind::kMethod || expression.kind == ExpressionKind::kAttribute;
  if (is_member) {
    return std::find(kPlainMembers.begin(), kPlainMembers.end(), expression.text) !=
           kPlainMembers.end();
  }
  if (expression.kind == ExpressionKind::kVariable) return plain.count(expression.variable) > 0;
  if (expression.kind == ExpressionKind::kCall) return false;
  return std::all_of(expression.children.begin(), expression.children.end(),
                     [&](const Expression& child) { return is_plain(child, plain); });
}

/// What the first `num_statements` do.
struct Contents {
  Variables plain;                     ///< hold no tensor
  Variables given;                     ///< parameters, and other names of them
  std::vector<std::size_t> computing;  ///< statements

  void add(const Statement& statement, std::size_t number) {
    if (statement.kind == StatementKind::kRelease) return;
    if (statement.kind != StatementKind::kAssign) {
      computing.push_back(number);
      return;
    }
    const Expression& value = statement.value;
    const bool renames = value.kind == ExpressionKind::kVariable && given.count(value.variable) > 0;
    const bool is_constant = is_plain(value, plain);
    plain.erase(statement.target);
    given.erase(statement.target);
    if (renames) {
      given.insert(statement.target);
    } else if (is_constant) {
      plain.insert(statement.target);
    } else {
      computing.push_back(number);
    }
  }
};

Contents contents_of(const Program& program, std::size_t num_statements) {
  Contents contents;
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    const bool is_size = program.parameters[i].kind == graph::ParameterKind::kSymInt;
    (is_size ? contents.plain : contents.given).insert(static_cast<VariableId>(i));
  }
  for (std::size_t i = 0; i < num_statements; ++i) contents.add(program.statements[i], i);
  return contents;
}

/// What the statements from `first` on read before they assign it.
Variables read_from(const Program& program, std::size_t first) {
  Variables read;
  Variables assigned;
  const auto add = [&](VariableId variable) {
    if (assigned.count(variable) == 0) read.insert(variable);
  };
  for (std::size_t i = first; i < program.statements.size(); ++i) {
    for (const VariableId variable : reads_of(program.statements[i])) add(variable);
    if (program.statements[i].kind == StatementKind::kAssign) {
      assigned.insert(program.statements[i].target);
    }
  }
  for (const VariableId variable : program.results) add(variable);
  return read;
}

void add_calls(const Expression& expression, std::map<std::string, int>& counts) {
  const bool is_operator = expression.kind == ExpressionKind::kBinary ||
                           expression.kind == ExpressionKind::kCompare ||
                           expression.kind == ExpressionKind::kUnary;
  const bool is_call =
      expression.kind == ExpressionKind::kCall || expression.kind == ExpressionKind::kMethod;
  if (is_call || is_operator) ++counts[expression.text.substr(expression.text.rfind('.') + 1)];
  for (const Expression& child : expression.children) add_calls(child, counts);
}

std::string beginning_text(const std::string& source, const Program& program,
                           std::size_t num_statements) {
  const graph::Position end = program.statements[num_statements].position;
  std::size_t at = 0;
  for (int line = 1; line < end.line; ++line) at = source.find('\n', at) + 1;
  std::string text = source.substr(0, at) +
                     source.substr(at, static_cast<std::size_t>(end.column - 1)) + "return (";
  for (const VariableId variable : live_tensors(program, num_statements)) {
    text += program.variables[static_cast<std::size_t>(variable)] + ", ";
  }
  return text + ")\n";
}

}  // namespace

std::vector<VariableId> live_tensors(const Program& program, std::size_t num_statements) {
  const Contents contents = contents_of(program, num_statements);
  Variables made;
  for (std::size_t i = 0; i < num_statements; ++i) {
    const Statement& statement = program.statements[i];
    if (statement.kind == StatementKind::kAssign) made.insert(statement.target);
    for (const VariableId variable : statement.released) made.erase(variable);
  }
  std::vector<VariableId> live;
  for (const VariableId variable : read_from(program, num_statements)) {
    const bool is_tensor = contents.plain.count(variable) + contents.given.count(variable) == 0;
    if (made.count(variable) > 0 && is_tensor) live.push_back(variable);
  }
  return live;
}

std::vector<std::size_t> choose_cuts(const Program& program, std::size_t num_parts) {
  const std::size_t all = program.statements.size();
  const std::vector<std::size_t> computing = contents_of(program, all).computing;
  std::vector<std::size_t> cuts;
  for (std::size_t part = 1; part < num_parts && !computing.empty(); ++part) {
    const std::size_t count = computing.size() * part / num_parts;
    if (count == 0) continue;
    std::size_t cut = computing[count - 1] + 1;
    while (cut < all && program.statements[cut].kind == StatementKind::kRelease) ++cut;
    const bool is_new = cuts.empty() || cut > cuts.back();
    const bool is_last = count == computing.size();
    if (is_new && !is_last && !live_tensors(program, cut).empty()) cuts.push_back(cut);
  }
  cuts.push_back(all);
  return cuts;
}

int last_line(const Program& program, std::size_t num_statements) {
  if (num_statements < program.statements.size()) {
    return program.statements[num_statements].position.line - 1;
  }
  return program.statements.back().position.line;
}

std::map<std::string, int> count_calls(const Program& program, std::size_t first,
                                       std::size_t last) {
  std::map<std::string, int> counts;
  for (std::size_t i = first; i < last; ++i) {
    const Statement& statement = program.statements[i];
    if (statement.kind == StatementKind::kAugmented) ++counts[statement.text + "="];
    if (statement.kind == StatementKind::kSetItem) ++counts["[]="];
    add_calls(statement.value, counts);
    add_calls(statement.index, counts);
  }
  return counts;
}

Status copy_other_files(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to, error);
  fs::directory_iterator entry(from, error);
  while (!error && entry != fs::directory_iterator()) {
    if (entry->is_regular_file(error) && entry->path().filename() != "model.py") {
      fs::copy_file(entry->path(), to / entry->path().filename(),
                    fs::copy_options::overwrite_existing, error);
    }
    if (!error) entry.increment(error);
  }
  if (!error) return Status::ok();
  return Status(Code::kEnvironment,
                "cannot copy '" + from.string() + "' to '" + to.string() + "': " + error.message());
}

Status write_beginning(const Sample& sample, std::size_t num_statements, const fs::path& folder) {
  GN_RETURN_IF_ERROR(copy_other_files(sample.folder, folder));
  GN_ASSIGN_OR_RETURN(std::string text,
                      base::read_file(sample.folder / "model.py", kMaxSourceBytes));
  if (num_statements < sample.program.statements.size()) {
    text = beginning_text(text, sample.program, num_statements);
  }
  return base::write_file_atomic(folder / "model.py", text);
}

}  // namespace graphnet::sample
