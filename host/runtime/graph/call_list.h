// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace graphnet::graph {

/// Index of a tensor object of a CallList.
using TensorId = ValueId;

/// One call as it was run: it may write to its arguments.
///
/// order    written: one per argument; same_as, drawn: one per result
struct RecordedNode {
  Node node;  ///< ids are TensorIds
  std::vector<bool> written;
  /// The argument that a result is (calls in place, identities), or kNoValue.
  std::vector<TensorId> same_as;
  /// What a random call gave; empty for all others.
  std::vector<Value> drawn = {};
};

/// A program as it was run: calls in order, on tensor objects of which several may share memory.
///
/// order    tensors: parameters first
struct CallList {
  std::string name;  ///< as Graph::name
  std::vector<Value> tensors;
  std::vector<TensorId> owners;  ///< by tensor: the first one with its memory; itself if no view
  std::size_t num_parameters = 0;
  std::vector<RecordedNode> calls;
  std::vector<TensorId> results;
  std::vector<TensorId> specialised;  ///< as Graph::specialised
};

/// The calls in the shape of a graph, to be printed and counted: it breaks the rules of Graph where
/// calls write. A tensor that a call writes to or gives back is none of its results.
Graph as_graph(const CallList& list);

}  // namespace graphnet::graph
