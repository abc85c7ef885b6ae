// SPDX-License-Identifier: MIT
#include <utility>

#include "base/field_reader.h"
#include "base/json.h"
#include "eager/dispatcher_library.h"
#include "graph/normal_form.h"
#include "worker/graph_side.h"
#include "worker/plugin_side.h"
#include "worker/prepared_task.h"
#include "worker/requests.h"

namespace graphnet::worker {

using base::Json;
using base::Result;

namespace {

Result<graph::Graph> planned_graph(const PreparedTask& prepared) {
  GN_ASSIGN_OR_RETURN(graph::CallList calls, planned_calls(prepared.sample));
  calls.name = prepared.sample.name;
  return graph::to_normal_form(calls, eager::dispatcher_library());
}

/// What the plugin is to give, without the data of a run.
Result<std::vector<KeptOutput>> outputs_of(const graph::Graph& graph) {
  std::vector<KeptOutput> outputs;
  for (const graph::ValueId id : graph.outputs) {
    const graph::Value& value = graph.value(id);
    GN_ASSIGN_OR_RETURN(KeptOutput output, base::allocate_tensor(value.dtype, value.shape));
    outputs.push_back(std::move(output));
  }
  return outputs;
}

}  // namespace

Result<Json> try_compile(const Json& arguments) {
  bool check_only = false;
  base::FieldReader fields(arguments);
  fields.read("check_only", check_only);
  GN_RETURN_IF_ERROR(fields.status());
  GN_ASSIGN_OR_RETURN(const journal::Task task, read_task(arguments));
  GN_ASSIGN_OR_RETURN(PreparedTask prepared, prepare_task(task));
  GN_ASSIGN_OR_RETURN(graph::Graph graph,
                      check_only ? planned_graph(prepared) : whole_graph(task, prepared));
  GN_ASSIGN_OR_RETURN(const DeviceArguments on_device,
                      DeviceArguments::create(prepared.device->tensors(), prepared.arguments));
  GN_ASSIGN_OR_RETURN(const auto reference, GraphSide::create(graph, on_device));
  GN_ASSIGN_OR_RETURN(const std::vector<KeptOutput> outputs, outputs_of(graph));
  PluginSide plugin(task, prepared.sample.name, on_device, outputs, reference.get(),
                    [](const char*) {});
  plugin::CallStatus status = plugin.open();
  if (status.is_ok()) {
    plugin.offer_body(std::move(graph));
    CompileTimes ignored;
    status = check_only ? plugin.check() : plugin.compile(ignored);
  }
  const bool is_gap = status.kind == plugin::FailureKind::kUnsupported;
  const record::Outcome outcome = status.is_ok() ? record::Outcome::kOk
                                  : is_gap       ? record::Outcome::kUnsupported
                                                 : record::Outcome::kPluginFailed;
  return Json{{"outcome", name_of(outcome)},
              {"message", status.is_ok() ? "" : status.status.message()}};
}

}  // namespace graphnet::worker
