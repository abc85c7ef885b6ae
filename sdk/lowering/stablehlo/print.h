// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "lowering/ir/graph.h"
#include "lowering/lower_graph.h"
#include "lowering/stablehlo/print_module.h"
#include "lowering/stablehlo/program.h"

namespace graphnet::lowering::stablehlo {

/// Modules, or all operators that StableHLO cannot express.
struct Printed {
  LoweredProgram program;  ///< empty if there are failures
  std::vector<Failure> failures;
};

/// A graph as StableHLO for XLA: legalised, staged, printed. `name` becomes the modules'.
Printed print(const ir::Graph& graph, const PrintOptions& options, const std::string& name);

}  // namespace graphnet::lowering::stablehlo
