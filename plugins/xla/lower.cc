// SPDX-License-Identifier: MIT
#include "xla/lower.h"

#include "graphnet/plugin.h"
#include "lowering/lower_graph.h"
#include "lowering/stablehlo/emitter.h"

namespace graphnet::xla {

gn_status* lower_graph(const gn_host_api* host, const gn_graph* graph, const Options& options,
                       bool check_only, lowering::stablehlo::LoweredProgram& out) {
  gn_graph_body body = {};
  body.struct_size = sizeof(body);
  gn_status* const status = host->graph_body(host->host, graph, &body);
  if (status != nullptr) return status;
  lowering::stablehlo::Emitter emitter(
      {options.rewrites, /*lends_results=*/!options.is_gpu, options.full_precision});
  const lowering::Lowered lowered =
      lowering::lower_graph(body, emitter, emitter.add_parameters(body));
  if (!lowered.failures.empty()) {
    return fail(host, GN_STATUS_UNSUPPORTED, lowering::describe_failures(lowered.failures));
  }
  if (!check_only) out = emitter.finish(lowered.outputs, "graphnet");
  return nullptr;
}

}  // namespace graphnet::xla
