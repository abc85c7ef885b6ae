// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "graph/program.h"
#include "sample/lexer.h"
#include "sample/scope.h"

namespace graphnet::sample {

/// Parses the expressions of model.py with Python's precedences: operators, calls of torch
/// functions and methods, attributes, subscripts, tuples, lists, slice() and device().
///
/// errors   kInput with position; brackets nest 64 deep at most, and a statement has 256 operators,
///          members and subscripts at most
/// source   GraphNet model.py: one operation a statement in the 2,495 torch samples, small
///          expressions inside arguments (`device=x.device`) in what upstream's tools write
class ExpressionParser {
 public:
  /// Both must outlive the parser.
  ExpressionParser(Lexer& lexer, const Scope& scope) : lexer_(lexer), scope_(scope) {}

  /// Binds a name of `from torch import ...`; false if the language has no such import.
  bool import_name(std::string_view name);
  /// Forgets how many operations the statement before had.
  void begin_statement() { num_operations_ = 0; }

  base::Status parse_expression(graph::Expression* out) { return parse_infix(0, out); }
  /// One expression, or several between commas: a tuple.
  base::Status parse_expressions(graph::Expression* out);
  /// What stands between `[` and `]`, both included; `a, b` is a tuple.
  base::Status parse_index(graph::Expression* out);

  /// The variable of a name that must have a value; does not advance.
  base::Status resolve(const Token& name, graph::VariableId* variable) const;

 private:
  base::Status parse_infix(int least_precedence, graph::Expression* out);
  base::Status parse_operand(graph::Expression* out);
  base::Status parse_unary(graph::Expression* out);
  base::Status parse_primary(graph::Expression* out);
  base::Status parse_number(bool negative, graph::Expression* out);
  base::Status parse_name(graph::Expression* out);
  base::Status parse_keyword(graph::Expression* out, bool* is_keyword);
  base::Status parse_free_name(graph::Expression* out);
  base::Status parse_variable(graph::Expression* out);
  base::Status parse_members(graph::Expression* out);
  base::Status parse_member(graph::Expression* out);
  base::Status parse_subscript(graph::Expression* out);
  base::Status parse_torch(graph::Expression* out);
  base::Status parse_torch_constant(std::string_view name, graph::Expression* out);
  base::Status parse_slice(graph::Expression* out);
  base::Status parse_device(graph::Expression* out);
  base::Status parse_brackets(graph::Expression* out);
  base::Status parse_list(graph::Expression* out);
  base::Status parse_arguments(graph::Expression* out);
  base::Status parse_argument(std::size_t first, bool* seen_keyword);
  base::Status enter();
  base::Status count_operation();
  bool is_imported(std::string_view name) const;
  void adopt_pending(std::size_t first, graph::Expression* out);

  Lexer& lexer_;
  const Scope& scope_;
  std::vector<std::string_view> imports_;
  int depth_ = 0;
  int num_operations_ = 0;
  std::size_t num_nodes_ = 0;
  // Children of the nodes that are still open; shared so that a node allocates once, exactly.
  std::vector<graph::Expression> pending_;
  std::vector<std::string_view> pending_keywords_;
};

}  // namespace graphnet::sample
