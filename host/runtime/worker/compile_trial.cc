// SPDX-License-Identifier: MIT
#include <utility>

#include "base/json.h"
#include "worker/graph_side.h"
#include "worker/plugin_side.h"
#include "worker/prepared_task.h"
#include "worker/requests.h"

namespace graphnet::worker {

using base::Json;
using base::Result;

Result<Json> try_compile(const Json& arguments) {
  GN_ASSIGN_OR_RETURN(const journal::Task task, read_task(arguments));
  GN_ASSIGN_OR_RETURN(PreparedTask prepared, prepare_task(task));
  GN_ASSIGN_OR_RETURN(graph::Graph graph, whole_graph(task, prepared));
  GN_ASSIGN_OR_RETURN(const DeviceArguments on_device,
                      DeviceArguments::create(prepared.device->tensors(), prepared.arguments));
  GN_ASSIGN_OR_RETURN(const auto reference, GraphSide::create(graph, on_device));
  GN_ASSIGN_OR_RETURN(const std::vector<KeptOutput> outputs, reference->reference());
  PluginSide plugin(task, prepared.sample.name, on_device, outputs, reference.get(),
                    [](const char*) {});
  plugin::CallStatus status = plugin.open();
  if (status.is_ok()) {
    plugin.offer_body(std::move(graph));
    double ignored_ns = 0;
    status = plugin.compile(ignored_ns);
  }
  const bool is_gap = status.kind == plugin::FailureKind::kUnsupported;
  const record::Outcome outcome = status.is_ok() ? record::Outcome::kOk
                                  : is_gap       ? record::Outcome::kUnsupported
                                                 : record::Outcome::kPluginFailed;
  return Json{{"outcome", name_of(outcome)},
              {"message", status.is_ok() ? "" : status.status.message()}};
}

}  // namespace graphnet::worker
