// SPDX-License-Identifier: MIT
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/field_reader.h"
#include "base/json.h"
#include "base/memory.h"
#include "eager/dispatcher_library.h"
#include "eager/graph_cost.h"
#include "graph/call_list.h"
#include "graph/graph_text.h"
#include "graph/node_builder.h"
#include "graph/normal_form.h"
#include "sample/arguments.h"
#include "sample/sample.h"
#include "worker/admission.h"
#include "worker/eager_side.h"
#include "worker/prepared_task.h"
#include "worker/requests.h"
#include "worker/weights.h"

namespace graphnet::worker {

namespace {

using base::Code;
using base::Json;
using base::Result;
using base::Status;

Result<graph::CallList> run_calls(const sample::Sample& sample) {
  GN_ASSIGN_OR_RETURN(const eager::Plan plan, plan_sample(sample));
  const std::string refused = refusal(plan, {base::available_memory_bytes(), 0});
  if (!refused.empty()) {
    return Status(Code::kEnvironment, refused).add_hint("--no-run, which takes no memory");
  }
  GN_ASSIGN_OR_RETURN(
      auto arguments,
      sample::generate_arguments(sample.metas, sample.program.parameters, sample::kUpstreamSeed));
  GN_ASSIGN_OR_RETURN(const auto eager, EagerSide::create(sample, arguments));
  GN_RETURN_IF_ERROR(eager->prepare());
  GN_RETURN_IF_ERROR(eager->run());
  std::vector<bool> weights;
  for (const auto& argument : arguments) weights.push_back(is_weight(argument.kind));
  return eager->engine().call_list(weights);
}

/// What the nodes of one operator amount to.
struct OpUse {
  std::int64_t num_nodes = 0;
  eager::NodeCost cost;
  std::set<std::string> dtypes;  ///< of what it reads and gives
  std::size_t max_rank = 0;

  void see(const graph::Value& value) {
    dtypes.insert(base::dtype_name(value.dtype));
    max_rank = std::max(max_rank, value.shape.size());
  }

  void add(const eager::NodeCost& more) {
    cost.flop += more.flop;
    cost.read_bytes += more.read_bytes;
    cost.written_bytes += more.written_bytes;
  }
};

Json cost_json(const eager::NodeCost& cost) {
  return {
      {"flop", cost.flop}, {"read_bytes", cost.read_bytes}, {"written_bytes", cost.written_bytes}};
}

Json ops_json(const graph::Graph& graph, const std::vector<eager::NodeCost>& costs) {
  std::map<std::string, OpUse> uses;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const graph::Node& node = graph.nodes[i];
    OpUse& use = uses[node.op];
    ++use.num_nodes;
    use.add(costs[i]);
    graph::for_each_read(node, [&](graph::ValueId id) { use.see(graph.value(id)); });
    for (const graph::ValueId id : node.results) {
      if (id != graph::kNoValue) use.see(graph.value(id));
    }
  }
  Json ops = Json::array();
  for (const auto& [op, use] : uses) {
    Json entry = {{"op", op}, {"nodes", use.num_nodes}};
    entry.update(cost_json(use.cost));
    entry["dtypes"] = use.dtypes;
    entry["max_rank"] = use.max_rank;
    ops.push_back(std::move(entry));
  }
  return ops;
}

Json type_json(const graph::Value& value) {
  return {{"dtype", base::dtype_name(value.dtype)}, {"shape", value.shape}};
}

Json parameters_json(const graph::Graph& graph) {
  const std::size_t first_random = graph.parameters.size() - graph.num_random;
  const std::set<graph::ValueId> specialised(graph.specialised.begin(), graph.specialised.end());
  Json parameters = Json::array();
  for (std::size_t i = 0; i < graph.parameters.size(); ++i) {
    const graph::Value& value = graph.value(graph.parameters[i]);
    const bool is_bound = value.kind == graph::ValueKind::kWeight;
    Json entry = type_json(value);
    entry["name"] = value.name;
    entry["kind"] = i >= first_random ? "random" : is_bound ? "weight" : "input";
    if (specialised.count(graph.parameters[i]) > 0) entry["specialised"] = true;
    parameters.push_back(std::move(entry));
  }
  return parameters;
}

Json graph_json(const graph::Graph& graph, const std::vector<eager::NodeCost>& costs,
                bool has_text) {
  OpUse total;
  for (const eager::NodeCost& cost : costs) total.add(cost);
  Json json = {{"parameters", parameters_json(graph)},
               {"outputs", Json::array()},
               {"ops", ops_json(graph, costs)},
               {"total", cost_json(total.cost)}};
  json["total"]["nodes"] = graph.nodes.size();
  for (const graph::ValueId id : graph.outputs)
    json["outputs"].push_back(type_json(graph.value(id)));
  if (has_text) json["text"] = graph::print_graph(graph);
  return json;
}

}  // namespace

Result<Json> inspect(const Json& arguments) {
  std::string path;
  std::string stage = "normal";
  bool runs = true;
  bool has_text = true;
  base::FieldReader fields(arguments);
  fields.require("sample").read("sample", path).read("stage", stage);
  fields.read("run", runs).read("text", has_text);
  GN_RETURN_IF_ERROR(fields.status());
  GN_ASSIGN_OR_RETURN(const sample::Sample sample, sample::load_sample(path));
  GN_ASSIGN_OR_RETURN(graph::CallList calls, runs ? run_calls(sample) : planned_calls(sample));
  calls.name = sample.name;
  graph::Graph graph;
  if (stage == "normal") {
    GN_ASSIGN_OR_RETURN(graph, graph::to_normal_form(calls, eager::dispatcher_library()));
  } else {
    graph = graph::as_graph(calls);
  }
  GN_ASSIGN_OR_RETURN(const auto costs, eager::node_costs(graph));
  return graph_json(graph, costs, has_text);
}

}  // namespace graphnet::worker
