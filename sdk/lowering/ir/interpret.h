// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "lowering/ir/array.h"

namespace graphnet::lowering::ir {

/// What a graph is called with, by Parameter::index.
struct Arguments {
  std::vector<Array> inputs;
  std::vector<Array> weights = {};
  std::vector<Array> bound = {};  ///< outputs of the bind graph (passes/stage.h)
};

/// Computes a graph, slowly and plainly: every element by itself, rounded to its type after each
/// operation. It says what the operations mean, and checks what a compiler is given where that
/// compiler cannot run.
///
/// order    result: as Graph::outputs
/// errors   LoweringError: a parameter is missing, or an operation has no meaning for its type
std::vector<Array> interpret(const Graph& graph, const Arguments& arguments);

/// Results of one operation, which is no parameter; `types` are theirs.
std::vector<Array> evaluate(const Operation& operation, const std::vector<const Array*>& operands,
                            const std::vector<TensorType>& types);

}  // namespace graphnet::lowering::ir
