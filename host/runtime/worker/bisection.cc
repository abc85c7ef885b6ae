// SPDX-License-Identifier: MIT
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/field_reader.h"
#include "base/json.h"
#include "graph/graph_prefix.h"
#include "graph/graph_text.h"
#include "journal/worker_message.h"
#include "verify/compare.h"
#include "worker/graph_side.h"
#include "worker/plugin_side.h"
#include "worker/prepared_task.h"
#include "worker/requests.h"

namespace graphnet::worker {

namespace {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

/// The plugin's word, or nothing if it ran.
plugin::CallStatus run_plugin(PluginSide& side, base::Result<graph::Graph> body) {
  plugin::CallStatus status = side.open();
  if (!status.is_ok()) return status;
  side.offer_body(std::move(body));
  CompileTimes ignored_times;
  status = side.compile(ignored_times);
  double ignored_ns = 0;
  if (status.is_ok()) status = side.bind(ignored_ns);
  if (!status.is_ok()) return status;
  measure::SideDurations ignored;
  return side.measure({0, 1}, ignored);
}

Json outcome_json(record::Outcome outcome, const std::string& message) {
  return {{"outcome", name_of(outcome)}, {"message", message}};
}

// Indices and other whole numbers may differ where values tie; floats show the fault anyway.
Json judge(const std::vector<KeptOutput>& wanted, const std::vector<KeptOutput>& given) {
  const auto comparison = verify::compare_outputs(views(wanted), views(given));
  for (std::size_t i = 0; i < comparison.outputs.size(); ++i) {
    if (!base::is_floating(wanted[i].dtype) || comparison.outputs[i].within_tolerance()) continue;
    return outcome_json(comparison.outcome, comparison.message);
  }
  return outcome_json(record::Outcome::kOk, "");
}

/// Runs a plugin on the first nodes of a graph and compares.
Result<Json> try_prefix(const journal::Task& task, const std::string& name,
                        const graph::Graph& prefix, const DeviceArguments& on_device) {
  GN_ASSIGN_OR_RETURN(const auto reference, GraphSide::create(prefix, on_device));
  GN_ASSIGN_OR_RETURN(const std::vector<KeptOutput> wanted, reference->reference());
  PluginSide plugin(task, name, on_device, wanted, reference.get(), [](const char*) {});
  const plugin::CallStatus status = run_plugin(plugin, prefix);
  if (status.is_ok()) return judge(wanted, plugin.kept());
  const bool is_gap = status.kind == plugin::FailureKind::kUnsupported;
  return outcome_json(is_gap ? record::Outcome::kUnsupported : record::Outcome::kPluginFailed,
                      status.status.message());
}

}  // namespace

Result<Json> list_nodes(const Json& arguments) {
  GN_ASSIGN_OR_RETURN(const journal::Task task, read_task(arguments));
  GN_ASSIGN_OR_RETURN(PreparedTask prepared, prepare_task(task));
  GN_ASSIGN_OR_RETURN(const graph::Graph whole, whole_graph(task, prepared));
  Json nodes = Json::array();
  for (const graph::Node& node : whole.nodes) {
    const std::string location = node.where.empty() ? "" : "  # " + node.where;
    nodes.push_back(graph::print_node(whole, node) + location);
  }
  return Json{{"nodes", std::move(nodes)}};
}

Result<Json> try_first_nodes(const Json& arguments) {
  GN_ASSIGN_OR_RETURN(const journal::Task task, read_task(arguments));
  std::optional<std::int64_t> length;
  base::FieldReader fields(arguments);
  fields.require("nodes").read("nodes", length);
  GN_RETURN_IF_ERROR(fields.status());
  GN_ASSIGN_OR_RETURN(PreparedTask prepared, prepare_task(task));
  GN_ASSIGN_OR_RETURN(const graph::Graph whole, whole_graph(task, prepared));
  if (*length < 1 || *length > static_cast<std::int64_t>(whole.nodes.size())) {
    return Status(Code::kInput, "the graph has no node " + std::to_string(*length));
  }
  GN_ASSIGN_OR_RETURN(const DeviceArguments on_device,
                      DeviceArguments::create(prepared.device->tensors(), prepared.arguments));
  return try_prefix(task, prepared.sample.name,
                    graph::graph_prefix(whole, static_cast<std::size_t>(*length)), on_device);
}

}  // namespace graphnet::worker
