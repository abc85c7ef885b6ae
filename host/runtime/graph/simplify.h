// SPDX-License-Identifier: MIT
#pragma once

#include "graph/graph.h"

namespace graphnet::graph {

/// Takes out nodes that give their argument back whatever it is (alias, detach, dropout outside of
/// training, copies of constants) and everything that no output needs, random inputs included.
/// Parameters stay. Values are numbered anew in the order in which they appear.
void simplify(Graph& graph);

}  // namespace graphnet::graph
