// SPDX-License-Identifier: MIT
#include "lowering/stablehlo/print.h"

#include <utility>

#include "lowering/ir/passes/stage.h"
#include "lowering/stablehlo/legalize.h"

namespace graphnet::lowering::stablehlo {

Printed print(const ir::Graph& graph, const PrintOptions& options, const std::string& name) {
  ir::Built legalized = legalize(graph, options.rewrites);
  if (!legalized.failures.empty()) return {{}, std::move(legalized.failures)};
  LoweredProgram program;
  std::vector<ir::ValueId> results;
  for (std::size_t i = 0; i < legalized.graph.outputs.size(); ++i) {
    const ir::ValueId output = legalized.graph.outputs[i];
    if (num_elements(legalized.graph.value(output).type.shape) == 0) continue;
    results.push_back(output);
    program.result_outputs.push_back(static_cast<std::uint32_t>(i));
  }
  legalized.graph.outputs = std::move(results);
  if (!options.rewrites) {
    program.main = print_module(legalized.graph, options, name);
    return {std::move(program), {}};
  }
  const ir::StagedGraph staged = ir::split_by_stage(std::move(legalized.graph));
  program.main = print_module(staged.call, options, name);
  if (!staged.bind.outputs.empty()) {
    PrintOptions bind = options;
    bind.lends_results = false;
    program.bind = print_module(staged.bind, bind, name + "_bind");
  }
  return {std::move(program), {}};
}

}  // namespace graphnet::lowering::stablehlo
