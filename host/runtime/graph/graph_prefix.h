// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "graph/graph.h"

namespace graphnet::graph {

/// The first `num_nodes` nodes of a graph, as a graph. Its outputs are the values that the other
/// nodes read and the graph's own outputs among them, each once, in the order of the nodes.
/// Parameters stay, except random ones that no node of the prefix reads.
Graph graph_prefix(const Graph& graph, std::size_t num_nodes);

}  // namespace graphnet::graph
