// SPDX-License-Identifier: MIT
#include "graph/graph_prefix.h"

#include <algorithm>

#include "graph/node_builder.h"
#include "graph/simplify.h"

namespace graphnet::graph {

Graph graph_prefix(const Graph& graph, std::size_t num_nodes) {
  const auto end = static_cast<std::ptrdiff_t>(std::min(num_nodes, graph.nodes.size()));
  std::vector<bool> wanted(graph.values.size(), false);
  const auto want = [&](ValueId id) { wanted[static_cast<std::size_t>(id)] = true; };
  std::for_each(graph.outputs.begin(), graph.outputs.end(), want);
  std::for_each(graph.nodes.begin() + end, graph.nodes.end(),
                [&](const Node& node) { for_each_read(node, want); });
  Graph prefix = graph;
  prefix.nodes.erase(prefix.nodes.begin() + end, prefix.nodes.end());
  prefix.outputs.clear();
  for (const Node& node : prefix.nodes) {
    for (const ValueId id : node.results) {
      if (id != kNoValue && wanted[static_cast<std::size_t>(id)]) prefix.outputs.push_back(id);
    }
  }
  simplify(prefix);
  return prefix;
}

}  // namespace graphnet::graph
