// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <string>

#include "graph/program.h"

namespace graphnet::fuzz {

inline std::string print_statement(const graph::Program& program,
                                   const graph::Statement& statement) {
  const auto name = [&](graph::VariableId variable) {
    return program.variables[static_cast<std::size_t>(variable)];
  };
  const auto text = [&](const graph::Expression& expression) {
    return graph::format_expression(program, expression);
  };
  switch (statement.kind) {
    case graph::StatementKind::kAssign:
      return name(statement.target) + " = " + text(statement.value);
    case graph::StatementKind::kAugmented:
      return name(statement.target) + " " + statement.text + "= " + text(statement.value);
    case graph::StatementKind::kSetItem:
      return name(statement.target) + "[" + text(statement.index) + "] = " + text(statement.value);
    case graph::StatementKind::kRelease:
      break;
  }
  std::string released;
  for (const graph::VariableId variable : statement.released) released += name(variable) + " = ";
  return released + "None";
}

/// A model.py of the same meaning; expressions are those of graph::format_expression.
inline std::string print_program(const graph::Program& program) {
  constexpr const char* kAnnotations[] = {"", ": torch.Tensor", ": torch.nn.parameter.Parameter",
                                          ": torch.SymInt"};
  std::string text =
      "import torch\nfrom torch import device, inf, nan\nclass GraphModule(torch.nn.Module):\n"
      "    def forward(self";
  for (const graph::Parameter& parameter : program.parameters) {
    text += ", " + parameter.name + kAnnotations[static_cast<int>(parameter.annotation)];
  }
  text += "):\n";
  for (const graph::Statement& statement : program.statements) {
    text += "        " + print_statement(program, statement) + "\n";
  }
  return text + "        return " + graph::format_expression(program, program.returned) + "\n";
}

}  // namespace graphnet::fuzz
