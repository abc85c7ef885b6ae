// SPDX-License-Identifier: MIT
#include "graph/normal_form.h"

#include "graph/functionalize.h"
#include "graph/simplify.h"
#include "graph/verify_graph.h"

namespace graphnet::graph {

base::Result<Graph> to_normal_form(const CallList& calls, const OpLibrary& library) {
  GN_ASSIGN_OR_RETURN(Graph graph, functionalize(calls, library));
  GN_RETURN_IF_ERROR(verify_graph(graph, library));
  simplify(graph);
  GN_RETURN_IF_ERROR(verify_graph(graph, library));
  GN_RETURN_IF_ERROR(check_static_shapes(graph, library));
  return graph;
}

}  // namespace graphnet::graph
