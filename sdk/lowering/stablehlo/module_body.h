// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "lowering/ir/graph.h"
#include "lowering/stablehlo/spelling.h"

namespace graphnet::lowering::stablehlo {

/// The lines of a module's @main, a node after the other. A node is one line, and lines before it
/// for what the dialect has no direct form of: helper values %h0, %h1, ...; equal ones exist once.
class ModuleBody {
 public:
  /// `precision`: "HIGHEST" or "DEFAULT", for products and convolutions of floats.
  ModuleBody(const ir::Graph& graph, Dialect dialect, const char* precision);

  /// Adds the lines of a node that is no parameter.
  void print(const ir::Node& node);
  const std::string& text() const { return text_; }
  /// "%12", or "%h3#0".
  const std::string& name_of(ir::ValueId id) const { return names_[static_cast<std::size_t>(id)]; }
  void set_name(ir::ValueId id, std::string name) {
    names_[static_cast<std::size_t>(id)] = std::move(name);
  }
  const ir::TensorType& type_of(ir::ValueId id) const { return graph_.value(id).type; }
  const char* precision() const { return precision_; }
  const Spelling& spelling() const { return spelling_; }

  /// Adds "name = text" with the location of the node that is printed.
  void add_line(const std::string& name, const std::string& text);
  /// The name of a helper value; of its first result if there are `num_results`.
  std::string helper(const std::string& text, int num_results = 1);

 private:
  const ir::Graph& graph_;
  const Spelling& spelling_;
  const char* precision_;
  std::string text_;
  std::string location_;                                  ///< " loc(...)" or empty
  std::vector<std::string> names_;                        ///< by value
  std::unordered_map<std::string, std::string> helpers_;  ///< name by text
};

}  // namespace graphnet::lowering::stablehlo
