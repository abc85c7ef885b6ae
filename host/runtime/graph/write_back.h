// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "graph/graph.h"

namespace graphnet::graph {

/// A view that was written to.
struct WrittenView {
  const Node& node;        ///< the call that gave it
  std::size_t result = 0;  ///< which of its results
  const Value& base;       ///< what it is a view of
  const Value& view;
};

/// The functional call that puts a view's new content back into its base; empty `op` if there is
/// none. `base_id` and `view_id` name the two values.
struct WriteBack {
  std::string op;
  std::vector<Argument> arguments;  ///< by name, those without default
};
WriteBack write_back(const WrittenView& written, ValueId base_id, ValueId view_id);

}  // namespace graphnet::graph
