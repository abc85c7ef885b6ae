// SPDX-License-Identifier: MIT
#include "xla/lower.h"

#include <utility>
#include <vector>

#include "graphnet/dump.h"
#include "graphnet/plugin.h"
#include "lowering/ir/build.h"
#include "lowering/ir/text.h"
#include "lowering/stablehlo/legalize.h"
#include "lowering/stablehlo/print.h"

namespace graphnet::xla {

gn_status* lower_graph(const gn_host_api* host, const gn_graph* graph, const Options& options,
                       bool check_only, lowering::stablehlo::LoweredProgram& out) {
  gn_graph_body body = {};
  body.struct_size = sizeof(body);
  gn_status* const status = host->graph_body(host->host, graph, &body);
  if (status != nullptr) return status;
  const auto refuse = [host](const std::vector<lowering::Failure>& failures) {
    return fail(host, GN_STATUS_UNSUPPORTED, lowering::describe_failures(failures));
  };
  const lowering::ir::Built built = lowering::ir::build(body, options.rewrites);
  if (!built.failures.empty()) return refuse(built.failures);
  lowering::ir::Built legalized = lowering::stablehlo::legalize(built.graph, options.rewrites);
  if (!legalized.failures.empty()) return refuse(legalized.failures);
  if (dumps(host)) dump(host, "lowered.ir", lowering::ir::to_text(legalized.graph));
  lowering::stablehlo::LoweredProgram program = lowering::stablehlo::print(
      std::move(legalized.graph),
      {options.rewrites, /*lends_results=*/!options.is_gpu, options.full_precision}, "graphnet");
  if (dumps(host)) {
    dump(host, "main.mlir", program.main.text);
    if (program.bind) dump(host, "bind.mlir", program.bind->text);
  }
  if (!check_only) out = std::move(program);
  return nullptr;
}

}  // namespace graphnet::xla
