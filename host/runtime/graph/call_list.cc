// SPDX-License-Identifier: MIT
#include "graph/call_list.h"

#include <numeric>

namespace graphnet::graph {

Graph as_graph(const CallList& list) {
  Graph graph;
  graph.name = list.name;
  graph.values = list.tensors;
  for (const RecordedNode& call : list.calls) graph.nodes.push_back(call.node);
  graph.parameters.resize(list.num_parameters);
  std::iota(graph.parameters.begin(), graph.parameters.end(), 0);
  graph.outputs = list.results;
  graph.specialised = list.specialised;
  return graph;
}

}  // namespace graphnet::graph
