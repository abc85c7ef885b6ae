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

/// Parses the expressions of model.py: one call, operator, subscript or attribute each, whose
/// operands are values (names, constants, tuples, lists, slice() and device()).
///
/// errors   kInput with position; brackets nest 64 deep at most
/// source   model.py grammar over all 2,495 torch samples: no call inside a call, one operator
class ExpressionParser {
 public:
  /// Both must outlive the parser.
  ExpressionParser(Lexer& lexer, const Scope& scope) : lexer_(lexer), scope_(scope) {}

  /// Names that `from torch import ...` has bound so far.
  void import_device() { has_device_ = true; }
  void import_inf() { has_inf_ = true; }

  /// Right-hand side of an assignment.
  base::Status parse_expression(graph::Expression* out);
  /// Value, or a negated variable.
  base::Status parse_operand(graph::Expression* out);
  /// Name, constant, tuple, list, slice() or device().
  base::Status parse_value(graph::Expression* out);
  /// What stands between `[` and `]`, both included; `a, b` is a tuple.
  base::Status parse_index(graph::Expression* out);

  /// The variable of a name that must have a value; does not advance.
  base::Status resolve(const Token& name, graph::VariableId* variable) const;

 private:
  base::Status parse_infix(bool left_is_negative, graph::Expression* out);
  base::Status parse_unary(graph::Expression* out);
  base::Status parse_primary(graph::Expression* out);
  base::Status parse_number(bool negative, graph::Expression* out);
  base::Status parse_name(graph::Expression* out);
  base::Status parse_keyword(graph::Expression* out, bool* is_keyword);
  base::Status parse_free_name(graph::Expression* out);
  base::Status parse_variable(graph::Expression* out);
  base::Status parse_member(graph::Expression* out);
  base::Status parse_torch(graph::Expression* out);
  base::Status parse_slice(graph::Expression* out);
  base::Status parse_device(graph::Expression* out);
  base::Status parse_brackets(graph::Expression* out);
  base::Status parse_tuple_rest(graph::Expression* out);
  base::Status parse_list(graph::Expression* out);
  base::Status parse_elements(std::string_view close, graph::Expression* out);
  base::Status parse_arguments(graph::Expression* out);
  base::Status parse_argument(std::size_t first, bool* seen_keyword);
  base::Status require_value(const graph::Expression& expression) const;
  base::Status enter();
  void adopt_pending(std::size_t first, graph::Expression* out);

  Lexer& lexer_;
  const Scope& scope_;
  bool has_device_ = false;
  bool has_inf_ = false;
  int depth_ = 0;
  std::size_t num_nodes_ = 0;
  // Children of the nodes that are still open; shared so that a node allocates once, exactly.
  std::vector<graph::Expression> pending_;
  std::vector<std::string_view> pending_keywords_;
};

}  // namespace graphnet::sample
