// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "sample/sample.h"
#include "split/recorded_value.h"

namespace graphnet::split {

/// Puts the program and metadata of one piece together.
class PieceBuilder {
 public:
  explicit PieceBuilder(const sample::Sample& whole);

  /// Another name of a parameter, or the parameter itself.
  void take_parameter(graph::VariableId variable, graph::VariableId parameter);
  /// A value of before: a parameter for each tensor in it, and a statement unless it is one tensor.
  ///
  /// errors   kUnsupported: a name of the whole program is that of an item
  base::Status take_value(graph::VariableId variable, const RecordedValue& value);
  void add_statement(const graph::Statement& statement);
  void return_variables(const std::vector<graph::VariableId>& variables);
  /// The return of the whole program.
  void return_as_whole();

  /// Parameters are in ascending order of their names.
  base::Result<sample::Sample> finish();

 private:
  /// A parameter of the piece.
  struct Taken {
    graph::Parameter parameter;
    sample::TensorMeta meta;
  };

  graph::VariableId variable_of(graph::VariableId whole);
  graph::VariableId local(const std::string& name);
  graph::Expression renumbered(graph::Expression expression);
  void assign(graph::VariableId target, graph::Expression value);
  base::Result<graph::Expression> take_items(const std::string& name, const RecordedValue& value);
  graph::VariableId take(const std::string& name, graph::Parameter parameter,
                         sample::TensorMeta meta);
  void drop_releases_of_results();

  const sample::Sample& whole_;
  graph::Program program_;  // parameters last, until finish() moves them to the front
  std::vector<Taken> taken_;
  std::map<std::string, graph::VariableId> numbers_;  // by name
  std::vector<graph::Statement> prologue_;
};

}  // namespace graphnet::split
