// SPDX-License-Identifier: MIT
#include "lowering/stablehlo/print.h"

#include <utility>

#include "lowering/ir/passes/stage.h"

namespace graphnet::lowering::stablehlo {

LoweredProgram print(ir::Graph graph, const PrintOptions& options, const std::string& name) {
  LoweredProgram program;
  std::vector<ir::ValueId> results;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const ir::ValueId output = graph.outputs[i];
    if (num_elements(graph.type(output).shape) == 0) continue;
    results.push_back(output);
    program.result_outputs.push_back(static_cast<std::uint32_t>(i));
  }
  graph.outputs = std::move(results);
  if (!options.rewrites) {
    program.main = print_module(graph, options, name);
    return program;
  }
  const ir::StagedGraph staged = ir::split_by_stage(std::move(graph));
  program.main = print_module(staged.call, options, name);
  if (!staged.bind.outputs.empty()) {
    PrintOptions bind = options;
    bind.lends_results = false;
    program.bind = print_module(staged.bind, bind, name + "_bind");
  }
  return program;
}

}  // namespace graphnet::lowering::stablehlo
