// SPDX-License-Identifier: MIT
#include "validate/program_hash.h"

#include "base/sha256.h"
#include "rewrite/stable_names.h"
#include "validate/retraced.h"
#include "writer/model_text.h"

namespace graphnet::validate {

namespace {

using graph::Expression;
using graph::ExpressionKind;
using graph::Program;
using graph::Statement;
using graph::StatementKind;
using graph::VariableId;

std::string digest_of(std::string_view text) {
  return base::sha256_hex(text.data(), text.size());
}

/// Numbers values instead of names: an assignment makes one, a second name makes none.
class CanonicalText {
 public:
  explicit CanonicalText(const Program& program) : program_(program) {
    values_.resize(program.variables.size(), -1);
    for (std::size_t i = 0; i < program.parameters.size(); ++i) {
      values_[i] = add("a" + std::to_string(i));
    }
    text_ = std::to_string(program.parameters.size()) + "\n";
  }

  std::string take() {
    for (const Statement& statement : program_.statements) add_statement(statement);
    return text_ + "return " + text_of(program_.returned) + "\n";
  }

 private:
  void add_statement(const Statement& statement) {
    VariableId& target = values_[static_cast<std::size_t>(
        statement.kind == StatementKind::kRelease ? statement.released.front() : statement.target)];
    switch (statement.kind) {
      case StatementKind::kAssign:
        if (statement.value.kind == ExpressionKind::kVariable) {
          target = values_[static_cast<std::size_t>(statement.value.variable)];
          return;
        }
        add_value(text_of(statement.value), target);
        return;
      case StatementKind::kAugmented:
        // In place for a tensor and not for a number; the value that was before keeps its number.
        add_value(name_of(target) + " " + statement.text + "= " + text_of(statement.value), target);
        return;
      case StatementKind::kSetItem:
        text_ += name_of(target) + "[" + text_of(statement.index) +
                 "] = " + text_of(statement.value) + "\n";
        return;
      case StatementKind::kRelease:
        return;
    }
  }

  void add_value(const std::string& made_by, VariableId& target) {
    const std::string name = "v" + std::to_string(num_made_++);
    text_ += name + " = " + made_by + "\n";
    target = add(name);
  }

  VariableId add(const std::string& name) {
    numbered_.variables.push_back(name);
    return static_cast<VariableId>(numbered_.variables.size() - 1);
  }

  const std::string& name_of(VariableId value) const {
    return numbered_.variables[static_cast<std::size_t>(value)];
  }

  std::string text_of(const Expression& expression) const {
    return graph::format_expression(numbered_, with_values(expression));
  }

  Expression with_values(const Expression& expression) const {
    Expression copy = expression;
    if (copy.kind == ExpressionKind::kVariable) {
      copy.variable = values_[static_cast<std::size_t>(copy.variable)];
    }
    for (Expression& child : copy.children) child = with_values(child);
    return copy;
  }

  const Program& program_;
  Program numbered_;                // of it only `variables`: names of values
  std::vector<VariableId> values_;  // by variable: the value that it names now
  int num_made_ = 0;
  std::string text_;
};

std::string upstream_text(const Program& program, std::string_view model_py,
                          HashDefinition definition) {
  switch (definition) {
    case HashDefinition::kFile:
      return std::string(model_py);
    case HashDefinition::kTraced:
      return writer::traced_code(program);
    case HashDefinition::kRetraced:
      return writer::traced_code(retraced(program));
    case HashDefinition::kRetracedStable: {
      Program stable = retraced(program);
      rewrite::respell_calls(stable, rewrite::Apis::kStable);
      return writer::traced_code(stable);
    }
  }
  return "";
}

}  // namespace

std::string canonical_text(const Program& program) {
  return CanonicalText(program).take();
}

std::string program_hash(const Program& program) {
  return digest_of(canonical_text(program));
}

std::string upstream_hash(const Program& program, std::string_view model_py,
                          HashDefinition definition) {
  return digest_of(upstream_text(program, model_py, definition));
}

std::string_view definition_of(std::string_view stored, const Program& program,
                               std::string_view model_py) {
  for (const DefinitionRow& row : kHashDefinitions) {
    if (upstream_hash(program, model_py, row.definition) == stored) return row.word;
  }
  return "";
}

}  // namespace graphnet::validate
