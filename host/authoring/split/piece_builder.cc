// SPDX-License-Identifier: MIT
#include "split/piece_builder.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "graph/reads.h"
#include "sample/parameter_kind.h"

namespace graphnet::split {

namespace {

using base::Code;
using base::Result;
using base::Status;
using graph::Expression;
using graph::ExpressionKind;
using graph::Statement;
using graph::StatementKind;
using graph::VariableId;
using sample::TensorMeta;

TensorMeta meta_named(const std::vector<TensorMeta>& metas, const std::string& name) {
  const auto found = std::find_if(metas.begin(), metas.end(),
                                  [&](const TensorMeta& meta) { return meta.name == name; });
  return found == metas.end() ? TensorMeta() : *found;
}

void renumber(Expression& expression, const std::vector<VariableId>& numbers) {
  if (expression.kind == ExpressionKind::kVariable) {
    expression.variable = numbers[static_cast<std::size_t>(expression.variable)];
  }
  for (Expression& child : expression.children) renumber(child, numbers);
}

}  // namespace

PieceBuilder::PieceBuilder(const sample::Sample& whole) : whole_(whole) {
  program_.file = whole.program.file;
  program_.default_dtype = whole.program.default_dtype;
  program_.returned.kind = ExpressionKind::kTuple;
}

VariableId PieceBuilder::local(const std::string& name) {
  const auto [number, is_new] =
      numbers_.emplace(name, static_cast<VariableId>(program_.variables.size()));
  if (is_new) program_.variables.push_back(name);
  return number->second;
}

VariableId PieceBuilder::variable_of(VariableId whole) {
  return local(whole_.program.variables[static_cast<std::size_t>(whole)]);
}

Expression PieceBuilder::renumbered(Expression expression) {
  if (expression.kind == ExpressionKind::kVariable) {
    expression.variable = variable_of(expression.variable);
  }
  for (Expression& child : expression.children) child = renumbered(std::move(child));
  return expression;
}

void PieceBuilder::assign(VariableId target, Expression value) {
  Statement statement;
  statement.target = target;
  statement.value = std::move(value);
  prologue_.push_back(std::move(statement));
}

VariableId PieceBuilder::take(const std::string& name, graph::Parameter parameter,
                              TensorMeta meta) {
  parameter.name = name;
  const bool is_known = std::any_of(taken_.begin(), taken_.end(), [&](const Taken& taken) {
    return taken.parameter.name == name;
  });
  if (!is_known) taken_.push_back({std::move(parameter), std::move(meta)});
  return local(name);
}

void PieceBuilder::take_parameter(VariableId variable, VariableId parameter) {
  const auto& given = whole_.program.parameters[static_cast<std::size_t>(parameter)];
  const VariableId taken = take(given.name, given, meta_named(whole_.metas, given.name));
  const VariableId name = variable_of(variable);
  if (name != taken) assign(name, graph::variable_expression(taken));
}

Result<Expression> PieceBuilder::take_items(const std::string& name, const RecordedValue& value) {
  if (value.kind == RecordedValue::Kind::kPlain) return value.plain;
  if (value.kind == RecordedValue::Kind::kTensor) {
    TensorMeta meta = value.meta;
    meta.name = name;
    meta.class_name = "Program_weight_tensor_meta_" + name;
    if (!whole_.metas.empty()) meta.device = whole_.metas.front().device;
    graph::Parameter parameter;
    parameter.annotation = graph::Annotation::kTensor;
    return graph::variable_expression(take(name, std::move(parameter), std::move(meta)));
  }
  Expression sequence;
  sequence.kind = value.is_list ? ExpressionKind::kList : ExpressionKind::kTuple;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const std::string item = graph::item_name(name, i);
    const auto& names = whole_.program.variables;
    if (std::find(names.begin(), names.end(), item) != names.end()) {
      return Status(Code::kUnsupported, "an item of '" + name + "' would be called '" + item +
                                            "', as a variable of the program is");
    }
    GN_ASSIGN_OR_RETURN(Expression child, take_items(item, value.items[i]));
    sequence.children.push_back(std::move(child));
  }
  return sequence;
}

Status PieceBuilder::take_value(VariableId variable, const RecordedValue& value) {
  const std::string& name = whole_.program.variables[static_cast<std::size_t>(variable)];
  GN_ASSIGN_OR_RETURN(Expression taken, take_items(name, value));
  const VariableId target = local(name);
  const bool is_parameter = taken.kind == ExpressionKind::kVariable && taken.variable == target;
  if (!is_parameter) assign(target, std::move(taken));
  return Status::ok();
}

void PieceBuilder::add_statement(const Statement& statement) {
  Statement copy = statement;
  if (statement.kind == StatementKind::kRelease) {
    copy.released.clear();
    for (const VariableId variable : statement.released) {
      const auto found =
          numbers_.find(whole_.program.variables[static_cast<std::size_t>(variable)]);
      if (found != numbers_.end()) copy.released.push_back(found->second);
    }
    if (!copy.released.empty()) program_.statements.push_back(std::move(copy));
    return;
  }
  copy.value = renumbered(std::move(copy.value));
  copy.index = renumbered(std::move(copy.index));
  copy.target = variable_of(statement.target);
  program_.statements.push_back(std::move(copy));
}

void PieceBuilder::return_variables(const std::vector<VariableId>& variables) {
  for (const VariableId variable : variables) {
    program_.results.push_back(variable_of(variable));
    program_.returned.children.push_back(graph::variable_expression(program_.results.back()));
  }
  drop_releases_of_results();
}

void PieceBuilder::return_as_whole() {
  program_.returned = renumbered(whole_.program.returned);
  for (const VariableId variable : whole_.program.results) {
    program_.results.push_back(variable_of(variable));
  }
}

void PieceBuilder::drop_releases_of_results() {
  auto& statements = program_.statements;
  for (Statement& statement : statements) {
    auto& released = statement.released;
    const auto is_result = [&](VariableId variable) {
      const auto& results = program_.results;
      return std::find(results.begin(), results.end(), variable) != results.end();
    };
    released.erase(std::remove_if(released.begin(), released.end(), is_result), released.end());
  }
  const auto is_empty = [](const Statement& statement) {
    return statement.kind == StatementKind::kRelease && statement.released.empty();
  };
  statements.erase(std::remove_if(statements.begin(), statements.end(), is_empty),
                   statements.end());
}

Result<sample::Sample> PieceBuilder::finish() {
  std::sort(taken_.begin(), taken_.end(),
            [](const Taken& a, const Taken& b) { return a.parameter.name < b.parameter.name; });
  // Parameters come first in a program's variables.
  std::vector<std::string> names;
  for (const Taken& taken : taken_) names.push_back(taken.parameter.name);
  std::vector<VariableId> numbers(program_.variables.size());
  for (std::size_t i = 0; i < program_.variables.size(); ++i) {
    const auto known = std::find(names.begin(), names.end(), program_.variables[i]);
    numbers[i] = static_cast<VariableId>(known - names.begin());
    if (known == names.end()) names.push_back(program_.variables[i]);
  }
  program_.variables = std::move(names);
  program_.statements.insert(program_.statements.begin(), prologue_.begin(), prologue_.end());
  const auto renumbered_id = [&](VariableId& id) {
    if (id >= 0) id = numbers[static_cast<std::size_t>(id)];
  };
  for (Statement& statement : program_.statements) {
    renumbered_id(statement.target);
    renumber(statement.value, numbers);
    renumber(statement.index, numbers);
    for (VariableId& id : statement.released) renumbered_id(id);
  }
  renumber(program_.returned, numbers);
  for (VariableId& id : program_.results) renumbered_id(id);
  sample::Sample piece;
  piece.folder = whole_.folder;
  piece.family = whole_.family;
  for (Taken& taken : taken_) {
    taken.parameter.kind = sample::parameter_kind(taken.parameter.annotation, taken.meta);
    program_.parameters.push_back(std::move(taken.parameter));
    piece.metas.push_back(std::move(taken.meta));
  }
  piece.program = std::move(program_);
  return piece;
}

}  // namespace graphnet::split
