// SPDX-License-Identifier: MIT
#include "validate/retraced.h"

#include <string>
#include <utility>
#include <vector>

namespace graphnet::validate {

namespace {

using graph::Expression;
using graph::ExpressionKind;
using graph::Program;
using graph::Statement;
using graph::StatementKind;
using graph::VariableId;

class Retracing {
 public:
  explicit Retracing(const Program& program) : program_(program), result_(program) {
    parameter_of_.resize(program.variables.size(), -1);
    for (std::size_t i = 0; i < program.parameters.size(); ++i) {
      parameter_of_[i] = static_cast<VariableId>(i);
    }
    read_.resize(program.parameters.size(), false);
  }

  Program take() {
    result_.statements.clear();
    for (const Statement& statement : program_.statements) {
      if (is_second_name(statement)) continue;
      mark(statement.value);
      mark(statement.index);
      if (statement.kind == StatementKind::kAugmented ||
          statement.kind == StatementKind::kSetItem) {
        mark(statement.target);
      }
      result_.statements.push_back(statement);
    }
    mark(program_.returned);
    number_parameters();
    return std::move(result_);
  }

 private:
  /// `l_x_ = L_x_`, also where a parameter has several names.
  bool is_second_name(const Statement& statement) {
    if (statement.kind != StatementKind::kAssign ||
        statement.value.kind != ExpressionKind::kVariable) {
      return false;
    }
    const VariableId parameter = parameter_of_[static_cast<std::size_t>(statement.value.variable)];
    if (parameter >= 0) parameter_of_[static_cast<std::size_t>(statement.target)] = parameter;
    return parameter >= 0;
  }

  void mark(VariableId variable) {
    const VariableId parameter = parameter_of_[static_cast<std::size_t>(variable)];
    if (parameter >= 0) read_[static_cast<std::size_t>(parameter)] = true;
  }

  void mark(const Expression& expression) {
    if (expression.kind == ExpressionKind::kVariable) mark(expression.variable);
    for (const Expression& child : expression.children) mark(child);
  }

  // The text has only names: the second names of a parameter become one.
  void number_parameters() {
    std::vector<std::string> names(read_.size());
    std::vector<Statement> second_names;
    result_.parameters.clear();
    for (std::size_t i = 0; i < read_.size(); ++i) {
      if (!read_[i]) continue;
      const std::size_t number = 2 * result_.parameters.size();
      names[i] = "v" + std::to_string(number + 1);
      result_.parameters.push_back(program_.parameters[i]);
      result_.parameters.back().name = "v" + std::to_string(number);
      result_.parameters.back().annotation = graph::Annotation::kTensor;
      second_names.push_back(second_name(static_cast<VariableId>(i)));
    }
    for (std::size_t i = 0; i < parameter_of_.size(); ++i) {
      const VariableId parameter = parameter_of_[i];
      if (parameter >= 0) result_.variables[i] = names[static_cast<std::size_t>(parameter)];
    }
    result_.statements.insert(result_.statements.begin(), second_names.begin(), second_names.end());
  }

  Statement second_name(VariableId parameter) {
    Statement statement;
    statement.target = parameter;
    statement.value = graph::variable_expression(static_cast<VariableId>(result_.variables.size()));
    result_.variables.push_back(result_.parameters.back().name);
    return statement;
  }

  const Program& program_;
  Program result_;
  std::vector<VariableId> parameter_of_;  // by variable; -1: another value
  std::vector<bool> read_;                // by parameter
};

}  // namespace

Program retraced(const Program& program) {
  return Retracing(program).take();
}

}  // namespace graphnet::validate
