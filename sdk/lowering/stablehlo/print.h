// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "lowering/ir/graph.h"
#include "lowering/stablehlo/print_module.h"
#include "lowering/stablehlo/program.h"

namespace graphnet::lowering::stablehlo {

/// A legalised graph (legalize.h) as StableHLO for XLA: staged, printed. `name` becomes the
/// modules'.
LoweredProgram print(ir::Graph graph, const PrintOptions& options, const std::string& name);

}  // namespace graphnet::lowering::stablehlo
