// SPDX-License-Identifier: MIT
#include "graph/simplify.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "graph/node_builder.h"

namespace graphnet::graph {

namespace {

constexpr std::string_view kAliases[] = {"aten::alias", "aten::detach", "aten::lift_fresh"};
constexpr std::string_view kDropouts[] = {"aten::dropout", "aten::feature_dropout",
                                          "aten::alpha_dropout", "aten::feature_alpha_dropout"};

template <std::size_t kCount>
bool is_one_of(const std::string& op, const std::string_view (&ops)[kCount]) {
  return std::find(std::begin(ops), std::end(ops), op) != std::end(ops);
}

// The one argument that the node gives back, or kNoValue.
ValueId given_back(const Graph& graph, const Node& node) {
  if (node.arguments.empty() || node.arguments[0].kind != Argument::Kind::kValue) return kNoValue;
  const ValueId self = node.arguments[0].values[0];
  if (is_one_of(node.op, kAliases)) return self;
  if (is_one_of(node.op, kDropouts) && is_flag(node, "train", false)) return self;
  const bool is_constant = graph.value(self).kind == ValueKind::kConstant;
  return is_constant && node.op == "aten::clone" ? self : kNoValue;
}

void drop_identities(Graph& graph) {
  std::vector<ValueId> stands_for(graph.values.size());
  for (std::size_t i = 0; i < stands_for.size(); ++i) stands_for[i] = static_cast<ValueId>(i);
  const auto follow = [&](ValueId& id) { id = stands_for[static_cast<std::size_t>(id)]; };
  std::vector<Node> kept;
  for (Node& node : graph.nodes) {
    for_each_read(node, follow);
    const ValueId self = given_back(graph, node);
    if (self == kNoValue || node.results.size() != 1) {
      kept.push_back(std::move(node));
    } else if (node.results[0] != kNoValue) {
      stands_for[static_cast<std::size_t>(node.results[0])] = self;
    }
  }
  graph.nodes = std::move(kept);
  std::for_each(graph.outputs.begin(), graph.outputs.end(), follow);
}

void drop_dead_nodes(Graph& graph) {
  std::vector<bool> live(graph.values.size(), false);
  const auto mark = [&](ValueId id) { live[static_cast<std::size_t>(id)] = true; };
  std::for_each(graph.outputs.begin(), graph.outputs.end(), mark);
  std::vector<Node> kept;
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    Node& node = graph.nodes[i];
    bool is_live = false;
    for (ValueId& result : node.results) {
      if (result != kNoValue && !live[static_cast<std::size_t>(result)]) result = kNoValue;
      is_live = is_live || result != kNoValue;
    }
    if (!is_live) continue;
    for_each_read(node, mark);
    kept.push_back(std::move(node));
  }
  std::reverse(kept.begin(), kept.end());
  graph.nodes = std::move(kept);
  const auto first_random = graph.parameters.end() - static_cast<std::ptrdiff_t>(graph.num_random);
  const auto dead = std::remove_if(first_random, graph.parameters.end(),
                                   [&](ValueId id) { return !live[static_cast<std::size_t>(id)]; });
  graph.num_random = static_cast<std::size_t>(dead - first_random);
  graph.parameters.erase(dead, graph.parameters.end());
}

void number_anew(Graph& graph) {
  std::vector<ValueId> numbers(graph.values.size(), kNoValue);
  std::vector<Value> values;
  const auto number = [&](ValueId& id) {
    if (id == kNoValue) return;
    ValueId& known = numbers[static_cast<std::size_t>(id)];
    if (known == kNoValue) {
      known = static_cast<ValueId>(values.size());
      values.push_back(std::move(graph.value(id)));
    }
    id = known;
  };
  std::for_each(graph.parameters.begin(), graph.parameters.end(), number);
  for (Node& node : graph.nodes) {
    for_each_read(node, number);
    std::for_each(node.results.begin(), node.results.end(), number);
  }
  std::for_each(graph.outputs.begin(), graph.outputs.end(), number);
  std::for_each(graph.specialised.begin(), graph.specialised.end(), number);
  graph.values = std::move(values);
}

void name_random_inputs(Graph& graph) {
  const std::size_t first = graph.parameters.size() - graph.num_random;
  for (std::size_t i = 0; i < graph.num_random; ++i) {
    graph.value(graph.parameters[first + i]).name = "random" + std::to_string(i);
  }
}

}  // namespace

void simplify(Graph& graph) {
  drop_identities(graph);
  drop_dead_nodes(graph);
  number_anew(graph);
  name_random_inputs(graph);
}

}  // namespace graphnet::graph
