// SPDX-License-Identifier: MIT
#include "writer/model_text.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <vector>

namespace graphnet::writer {

namespace {

using graph::Expression;
using graph::ExpressionKind;
using graph::Program;
using graph::Spelling;
using graph::Statement;
using graph::StatementKind;
using graph::VariableId;

/// Where the two styles differ.
struct StyleRow {
  std::string_view equals;           ///< of keyword arguments
  bool has_index_brackets;           ///< see graph::Spelling
  bool joins_statements;             ///< `x = f(y);  y = None` in one line
  std::string_view annotation;       ///< between a parameter and what it is
  std::string_view before_import;    ///< before each import but the first
  std::string_view before_class;     ///< after the last import
  std::string_view before_function;  ///< between the lines of class and forward()
  std::string_view end;              ///< after the return
};
constexpr StyleRow kStyles[] = {
    {" = ", true, true, " : ", "\n\n", "\n\n", "\n    \n    \n    \n", "\n        "},
    {"=", false, false, ": ", "\n", "\n\n", "\n\n", ""},
};

const StyleRow& row_of(TextStyle style) {
  return kStyles[static_cast<std::size_t>(style)];
}

/// By graph::Annotation.
constexpr std::string_view kAnnotations[] = {"", "torch.Tensor", "torch.nn.parameter.Parameter",
                                             "torch.SymInt"};

bool has_nan(const Expression& expression) {
  const bool is_nan = expression.kind == ExpressionKind::kFloat && std::isnan(expression.number);
  return is_nan || std::any_of(expression.children.begin(), expression.children.end(), has_nan);
}

class Writer {
 public:
  Writer(const Program& program, const StyleRow& row)
      : program_(program),
        row_(row),
        spelling_{row.equals,
                  '\'',
                  row.has_index_brackets,
                  free_name("Ellipsis", "..."),
                  free_name("device", "torch.device"),
                  free_name("inf", "torch.inf"),
                  free_name("nan", "torch.nan")} {}

  std::string signature() const;
  /// Statements and return, each line after a line end and `indentation`.
  std::string body(std::string_view indentation) const;
  std::string imports(const std::string& code) const;

 private:
  /// `name`, or the other one if the program has a variable of that name.
  std::string_view free_name(std::string_view name, std::string_view other) const;
  std::string statement_text(const Statement& statement) const;
  bool joins(std::size_t index) const;
  bool needs_nan() const;

  const std::string& name(VariableId variable) const {
    return program_.variables[static_cast<std::size_t>(variable)];
  }
  std::string text(const Expression& expression) const {
    return graph::format_expression(program_, expression, spelling_);
  }

  const Program& program_;
  const StyleRow& row_;
  Spelling spelling_;
};

std::string_view Writer::free_name(std::string_view name, std::string_view other) const {
  const auto& names = program_.variables;
  return std::find(names.begin(), names.end(), name) == names.end() ? name : other;
}

std::string Writer::signature() const {
  std::string text = "def forward(self";
  for (const graph::Parameter& parameter : program_.parameters) {
    text += ", " + parameter.name;
    const std::string_view annotation =
        kAnnotations[static_cast<std::size_t>(parameter.annotation)];
    if (!annotation.empty()) text.append(row_.annotation).append(annotation);
  }
  return text + "):";
}

std::string Writer::statement_text(const Statement& statement) const {
  switch (statement.kind) {
    case StatementKind::kAssign:
      return name(statement.target) + " = " + text(statement.value);
    case StatementKind::kAugmented:
      return name(statement.target) + " " + statement.text + "= " + text(statement.value);
    case StatementKind::kSetItem:
      return name(statement.target) + graph::format_index(program_, statement.index, spelling_) +
             " = " + text(statement.value);
    case StatementKind::kRelease:
      break;
  }
  std::string released;
  for (const VariableId variable : statement.released) released += name(variable) + " = ";
  return released + "None";
}

// torch.fx puts into a node's line what the node needs besides: the name of what was changed in
// place, and the variables that die.
bool Writer::joins(std::size_t index) const {
  if (!row_.joins_statements || index == 0) return false;
  const Statement& statement = program_.statements[index];
  if (statement.kind == StatementKind::kRelease) return true;
  const Statement& before = program_.statements[index - 1];
  const bool changes =
      before.kind == StatementKind::kAugmented || before.kind == StatementKind::kSetItem;
  return changes && statement.kind == StatementKind::kAssign &&
         statement.value.kind == ExpressionKind::kVariable &&
         statement.value.variable == before.target;
}

std::string Writer::body(std::string_view indentation) const {
  std::string code;
  for (std::size_t i = 0; i < program_.statements.size(); ++i) {
    if (joins(i)) {
      code += ";  ";
    } else {
      code.append("\n").append(indentation);
    }
    code += statement_text(program_.statements[i]);
  }
  return code.append("\n").append(indentation) + "return " + text(program_.returned);
}

bool Writer::needs_nan() const {
  return spelling_.nan == "nan" &&
         std::any_of(program_.statements.begin(), program_.statements.end(),
                     [](const Statement& s) { return has_nan(s.value) || has_nan(s.index); });
}

// Upstream imports `device` and `inf` wherever their letters occur.
std::string Writer::imports(const std::string& code) const {
  std::string text = "import torch";
  for (const std::string_view word : {"device", "inf"}) {
    if (code.find(word) == std::string::npos) continue;
    text.append(row_.before_import).append("from torch import ").append(word);
  }
  if (needs_nan()) text.append(row_.before_import).append("from torch import nan");
  return text;
}

}  // namespace

std::string model_text(const Program& program, TextStyle style) {
  const StyleRow& row = row_of(style);
  const Writer writer(program, row);
  const std::string code = writer.signature() + writer.body("        ");
  std::string text = writer.imports(code);
  text.append(row.before_class).append("class GraphModule(torch.nn.Module):");
  text.append(row.before_function).append("    ").append(code).append(row.end);
  return text;
}

std::string traced_code(const Program& program) {
  const Writer writer(program, row_of(TextStyle::kTraced));
  return "\n\n\n" + writer.signature() + writer.body("    ") + "\n    ";
}

}  // namespace graphnet::writer
