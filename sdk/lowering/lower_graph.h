// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "lowering/call.h"
#include "lowering/op_table.h"

namespace graphnet::lowering {

/// A node that could not be lowered.
struct Failure {
  std::string op;
  std::string where;   ///< "model.py:12:5"
  std::string reason;  ///< one sentence
};

/// Outputs of a graph, or all its failures.
struct Lowered {
  Tensors outputs;  ///< in the order of the signature; empty if there are failures
  std::vector<Failure> failures;
};

/// Lowers every node once, in order, by the decomposition of its operator. It continues after a
/// failure, so that it finds all of them. Nodes that only lack the result of a failed node are not
/// counted.
///
/// shapes       parameters: one tensor per value of kind INPUT or WEIGHT, by id; others are ignored
/// unsupported  operators that fail, each for its reason
Lowered lower_graph(const gn_graph_body& body, Emitter& emitter,
                    const std::vector<Tensor>& parameters,
                    View<UnsupportedOp> unsupported = {nullptr, 0});

/// "2 nodes: aten::foo at model.py:12:5 (reason), ..."; equal op and reason are named once with
/// their number.
std::string describe_failures(const std::vector<Failure>& failures);

}  // namespace graphnet::lowering
