// SPDX-License-Identifier: MIT
#include "eager/graph_cost.h"

#include <algorithm>

#include "eager/flop_count.h"
#include "eager/meta_node.h"
#include "eager/trace_error.h"
#include "eager/wall.h"
#include "graph/node_builder.h"

namespace graphnet::eager {

namespace {

std::int64_t dense_bytes(const graph::Value& value) {
  return base::num_elements(value.shape).value_or(0) *
         static_cast<std::int64_t>(base::dtype_bytes(value.dtype));
}

bool may_give_views(const Overload& overload) {
  const std::vector<c10::Argument>& results = overload.handle.schema().returns();
  return std::any_of(results.begin(), results.end(), [](const c10::Argument& result) {
    return result.alias_info() != nullptr && !result.alias_info()->isWrite();
  });
}

// Calls in place give their first argument.
std::vector<graph::ValueId> given_by(const graph::Node& node) {
  std::vector<graph::ValueId> given;
  for (const graph::ValueId id : node.results) {
    if (id != graph::kNoValue) given.push_back(id);
  }
  const bool has_self = !node.arguments.empty() && !node.arguments[0].values.empty();
  if (given.empty() && has_self) given.push_back(node.arguments[0].values[0]);
  return given;
}

NodeCost cost_of(const graph::Graph& graph, const graph::Node& node) {
  const Overload* overload = find_overload(node.op);
  if (overload == nullptr) throw TraceError(base::Code::kInternal, "no operator " + node.op);
  NodeCost cost;
  if (may_give_views(*overload)) return cost;
  graph::for_each_read(node,
                       [&](graph::ValueId id) { cost.read_bytes += dense_bytes(graph.value(id)); });
  c10::Stack results;
  for (const graph::ValueId id : given_by(node)) {
    cost.written_bytes += dense_bytes(graph.value(id));
    results.emplace_back(meta_tensor(graph.value(id)));
  }
  if (!results.empty()) {
    cost.flop = count_flop(*overload, meta_arguments(graph, node, *overload), results);
  }
  return cost;
}

}  // namespace

base::Result<std::vector<NodeCost>> node_costs(const graph::Graph& graph) {
  std::vector<NodeCost> costs;
  GN_RETURN_IF_ERROR(guarded([&] {
    for (const graph::Node& node : graph.nodes) costs.push_back(cost_of(graph, node));
  }));
  return costs;
}

}  // namespace graphnet::eager
