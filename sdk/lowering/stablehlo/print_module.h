// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "lowering/ir/graph.h"
#include "lowering/stablehlo/program.h"
#include "lowering/stablehlo/spelling.h"

namespace graphnet::lowering::stablehlo {

/// How modules are written.
struct PrintOptions {
  /// What legalize() rewrites; and what depends on weights alone is a module of its own, run once
  /// by bind. Without: the graph as it is, weights as arguments of main.
  bool rewrites = true;
  /// Results may be written to memory that the caller lends as an argument.
  bool lends_results = true;
  /// Products and convolutions of floats ask for HIGHEST precision; else for DEFAULT, with which
  /// XLA may take TF32 on a GPU.
  bool full_precision = true;
  Dialect dialect = Dialect::kStableHlo;
  /// "cpu" or "gpu": @main says so of each argument and result, by name, in the attribute
  /// `tf.entry_function` that TensorFlow's compilers ask for. Empty: it has no such attribute.
  std::string placement = {};
};

/// One graph as one module.
Module print_module(const ir::Graph& graph, const PrintOptions& options, const std::string& name);

}  // namespace graphnet::lowering::stablehlo
