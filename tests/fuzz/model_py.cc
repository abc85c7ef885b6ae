// SPDX-License-Identifier: MIT
// model.py: whatever is accepted is well formed, and reads the same after being written.
#include <algorithm>

#include "fuzz/promise.h"
#include "sample/parser.h"
#include "writer/model_text.h"

namespace graphnet::fuzz {
namespace {

using graph::Expression;
using graph::Position;
using graph::Program;

constexpr const char* kFile = "model.py";

class Checker {
 public:
  Checker(const Program& program, std::string_view text) : program_(program) {
    std::size_t begin = 0;
    while (begin <= text.size()) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      line_bytes_.push_back(end - begin);
      begin = end + 1;
    }
  }

  void check() const {
    expect(program_.parameters.size() <= program_.variables.size(), "parameters are variables");
    for (std::size_t i = 0; i < program_.parameters.size(); ++i) {
      expect(program_.parameters[i].name == program_.variables[i], "parameters come first");
      check(program_.parameters[i].position);
    }
    // `return` alone has no position.
    if (program_.returned.kind != graph::ExpressionKind::kNone) check(program_.returned);
    for (const graph::VariableId result : program_.results) check(result);
    for (const graph::Statement& statement : program_.statements) check(statement);
  }

 private:
  void check(Position position) const {
    expect(position.line >= 1 && static_cast<std::size_t>(position.line) <= line_bytes_.size(),
           "the line of a position exists");
    const std::size_t bytes = line_bytes_[static_cast<std::size_t>(position.line) - 1];
    expect(position.column >= 1 && static_cast<std::size_t>(position.column) <= bytes + 1,
           "the column of a position exists");
  }

  void check(graph::VariableId variable) const {
    expect(variable >= 0 && static_cast<std::size_t>(variable) < program_.variables.size(),
           "a variable exists");
  }

  void check(const graph::Statement& statement) const {
    check(statement.position);
    if (statement.kind == graph::StatementKind::kRelease) {
      for (const graph::VariableId variable : statement.released) check(variable);
      return;
    }
    check(statement.target);
    check(statement.value);
    if (statement.kind == graph::StatementKind::kSetItem) check(statement.index);
  }

  void check(const Expression& expression) const {
    check(expression.position);
    if (expression.kind == graph::ExpressionKind::kVariable) check(expression.variable);
    if (expression.kind == graph::ExpressionKind::kCall ||
        expression.kind == graph::ExpressionKind::kMethod) {
      expect(expression.keywords.size() == expression.children.size(), "each child has a keyword");
    }
    for (const Expression& child : expression.children) check(child);
  }

  const Program& program_;
  std::vector<std::size_t> line_bytes_;
};

}  // namespace
}  // namespace graphnet::fuzz

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphnet;
  const std::string_view text = fuzz::as_text(data, size);
  const auto program = sample::parse_model(text, fuzz::kFile);
  if (!program.is_ok()) {
    fuzz::expect(program.status().code() == base::Code::kInput, "a bad program is an input error");
    fuzz::expect_clear_failure(program.status(), fuzz::kFile, text, /*needs_location=*/true);
    return 0;
  }
  fuzz::Checker(*program, text).check();
  for (const auto style : {writer::TextStyle::kTraced, writer::TextStyle::kRewritten}) {
    const std::string written = writer::model_text(*program, style);
    const auto again = sample::parse_model(written, fuzz::kFile);
    fuzz::expect(again.is_ok(), "a written program parses: " + again.status().message());
    fuzz::expect(again->variables == program->variables, "a written program has its variables");
    fuzz::expect(writer::model_text(*again, style) == written, "it is written the same again");
  }
  return 0;
}
