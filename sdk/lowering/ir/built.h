// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "lowering/failures.h"
#include "lowering/ir/graph.h"

namespace graphnet::lowering::ir {

/// A graph, or all operators for which there is none.
struct Built {
  Graph graph;  ///< empty if there are failures
  std::vector<Failure> failures;
};

}  // namespace graphnet::lowering::ir
