// SPDX-License-Identifier: MIT
#include "xla/lower.h"

#include <string>
#include <utility>
#include <vector>

#include "graphnet/graph_view.h"
#include "graphnet/plugin.h"
#include "lowering/lower_graph.h"
#include "lowering/stablehlo/emitter.h"
#include "xla/op_table.h"

namespace graphnet::xla {

namespace {

using lowering::Shape;
using lowering::Tensor;
using lowering::stablehlo::ArgumentSource;
using lowering::stablehlo::Emitter;

std::vector<Tensor> make_parameters(const gn_graph_body& body, Emitter& emitter) {
  std::vector<Tensor> parameters(body.num_values);
  for (std::size_t id = 0; id < body.num_values; ++id) {
    const gn_value& value = body.values[id];
    if (value.kind != GN_VALUE_INPUT && value.kind != GN_VALUE_WEIGHT) continue;
    const auto type = lowering::type_of(value.dtype);
    if (!type) continue;  // a node that reads it says so
    const View<std::int64_t> shape = shape_of(value);
    const bool is_weight = value.kind == GN_VALUE_WEIGHT;
    parameters[id] = emitter.argument(is_weight ? ArgumentSource::kWeight : ArgumentSource::kInput,
                                      value.index, *type, Shape(shape.begin(), shape.end()));
  }
  return parameters;
}

}  // namespace

gn_status* lower_graph(const gn_host_api* host, const gn_graph* graph, const Options& options,
                       bool check_only, lowering::stablehlo::LoweredProgram& out) {
  gn_graph_body body = {};
  body.struct_size = sizeof(body);
  gn_status* const status = host->graph_body(host->host, graph, &body);
  if (status != nullptr) return status;
  Emitter emitter({options.rewrites});
  const lowering::Lowered lowered =
      lowering::lower_graph(body, op_table(), emitter, make_parameters(body, emitter));
  if (!lowered.failures.empty()) {
    return fail(host, GN_STATUS_UNSUPPORTED, lowering::describe_failures(lowered.failures));
  }
  if (!check_only) out = emitter.finish(lowered.outputs, "graphnet");
  return nullptr;
}

}  // namespace graphnet::xla
