// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "eager/dispatch_record.h"
#include "graph/program.h"

namespace graphnet::eager {

/// Makes a program of recorded calls, with upstream's form: one call a statement, items of what a
/// call gives by `getitem`, and releases behind last uses.
class RecordedProgram {
 public:
  /// Both must outlive it. `file`: path for messages.
  RecordedProgram(const DispatchRecord& record, const std::string& file);

  void take(ValueId value);
  /// A parameter under another name, which is no value.
  graph::VariableId take(const std::string& name);
  /// `target = expression`, whose variables are those of the program.
  graph::VariableId assign(const std::string& target, graph::Expression expression);
  /// Gives a value the variable.
  void define(ValueId value, graph::VariableId variable) { variables_[value] = variable; }
  graph::VariableId variable_of(ValueId value) const { return variables_.at(value); }
  /// A call, with those of its results that are wanted.
  void add(std::size_t call, const std::set<ValueId>& wanted);

  /// A name that neither a value nor the program has.
  std::string free_name(const std::string& base);

  /// Ends the program: it returns the list of these.
  graph::Program finish(const std::vector<graph::VariableId>& returned);

 private:
  graph::VariableId new_variable(const std::string& name);
  graph::Expression renumbered(graph::Expression expression) const;
  void add_releases();

  const DispatchRecord& record_;
  graph::Program program_;
  std::map<ValueId, graph::VariableId> variables_;
  std::set<std::string> names_;
};

/// torch.ops.aten.permute.default(variable, order).
graph::Expression permute_expression(graph::VariableId variable,
                                     const std::vector<std::int64_t>& order);

}  // namespace graphnet::eager
