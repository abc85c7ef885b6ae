// SPDX-License-Identifier: MIT
#pragma once

#include "base/status.h"
#include "graph/graph.h"
#include "graph/op_library.h"

namespace graphnet::graph {

/// Whether a graph keeps its rules: values exist, are given once and before they are read;
/// constants have their bytes; every node is an operator that the library knows, with exactly the
/// arguments of its schema, each of its type.
///
/// errors   kInternal with the node's number and operator
base::Status verify_graph(const Graph& graph, const OpLibrary& library);

/// Whether all extents are those of the graph whatever its inputs hold.
///
/// errors   kUnsupported naming operator and position of the first node whose extents follow from
/// data
base::Status check_static_shapes(const Graph& graph, const OpLibrary& library);

}  // namespace graphnet::graph
