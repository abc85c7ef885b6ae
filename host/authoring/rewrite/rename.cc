// SPDX-License-Identifier: MIT
#include "rewrite/rename.h"

#include <algorithm>
#include <string>
#include <unordered_map>
#include <vector>

namespace graphnet::rewrite {

namespace {

using base::Code;
using base::Result;
using base::Status;
using graph::Parameter;
using graph::ParameterKind;
using graph::Program;
using graph::Statement;
using graph::StatementKind;
using graph::VariableId;

bool is_held_by_module(const Parameter& parameter) {
  const auto has = [&](const char* part) { return parameter.name.find(part) != std::string::npos; };
  return parameter.kind == ParameterKind::kParameter || parameter.kind == ParameterKind::kBuffer ||
         has("_self_") || has("_instance_modules_");
}

/// By VariableId.
std::vector<std::string> new_names(const Program& program, Renaming& renaming) {
  std::vector<std::string> names;
  for (const Parameter& parameter : program.parameters) {
    names.push_back(is_held_by_module(parameter) ? "w_" + std::to_string(renaming.weights++)
                                                 : "in_" + std::to_string(renaming.inputs++));
  }
  while (names.size() < program.variables.size()) {
    names.push_back("tmp_" + std::to_string(renaming.values++));
  }
  return names;
}

Status rename_metadata(const Program& program, const std::vector<std::string>& names,
                       std::vector<sample::TensorMeta>& metas) {
  std::unordered_map<std::string, std::string> by_name;
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    by_name.emplace(program.parameters[i].name, names[i]);
  }
  for (sample::TensorMeta& meta : metas) {
    const auto found = by_name.find(meta.name);
    if (found == by_name.end()) {
      return Status(Code::kInput, "weight_meta.py:" + std::to_string(meta.line) + ": '" +
                                      meta.name + "' is no parameter of forward()");
    }
    if (meta.original_name.empty()) meta.original_name = meta.name;
    meta.name = found->second;
  }
  return Status::ok();
}

void drop_releases_of_parameters(Program& program) {
  const auto is_parameter = [&](VariableId variable) {
    return static_cast<std::size_t>(variable) < program.parameters.size();
  };
  for (Statement& statement : program.statements) {
    auto& released = statement.released;
    released.erase(std::remove_if(released.begin(), released.end(), is_parameter), released.end());
  }
  auto& statements = program.statements;
  const auto is_empty = [](const Statement& statement) {
    return statement.kind == StatementKind::kRelease && statement.released.empty();
  };
  statements.erase(std::remove_if(statements.begin(), statements.end(), is_empty),
                   statements.end());
}

}  // namespace

Result<Renaming> rename_sample(sample::Sample& sample) {
  Renaming renaming;
  Program& program = sample.program;
  std::vector<std::string> names = new_names(program, renaming);
  GN_RETURN_IF_ERROR(rename_metadata(program, names, sample.metas));
  for (std::size_t i = 0; i < program.parameters.size(); ++i) program.parameters[i].name = names[i];
  program.variables = std::move(names);
  drop_releases_of_parameters(program);
  return renaming;
}

}  // namespace graphnet::rewrite
