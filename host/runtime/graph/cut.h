// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

#include "graph/graph.h"

namespace graphnet::graph {

/// The graph as far as its first `num_nodes` nodes. Its outputs are what the rest reads of them and
/// the graph's own outputs among them, each once, in the order in which they are given. Parameters
/// stay; random ones that nobody reads any more go.
Graph cut_after(const Graph& graph, std::size_t num_nodes);

}  // namespace graphnet::graph
