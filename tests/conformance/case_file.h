// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "conformance/fill.h"
#include "graph/graph.h"

namespace graphnet::conformance {

/// Bound on the error of one element: |plugin - eager| <= absolute + relative * |eager|.
struct ElementBound {
  double relative = 0;
  double absolute = 0;
};

/// One graph with what its parameters hold.
struct Case {
  std::string name;  ///< "family/op/dtype/variant", of the graph
  graph::Graph graph;
  std::vector<Fill> fills;  ///< one per parameter, in signature order
  /// Wider than the element type's own; the file says why.
  std::optional<ElementBound> bound;
};

/// The text before the first slash of a case's name.
std::string family_of(const std::string& name);

/// Reads cases, each a graph in text form (graph/graph_text.h) behind lines of comment. Comments
/// that begin with a known word are read:
///
///     # fill %0 normal with nan
///     # tolerance 1e-4 1e-5: why
///     graph "reduce/sum/f32/nan"
///     ...
///     return %1
///
/// Without `fill` a parameter holds what default_fill() says. `tolerance` is relative, then
/// absolute.
///
/// errors   kInput "<file>:<line>: ..." for comments, "<file> (case at line <line>):..." for graphs
base::Result<std::vector<Case>> parse_cases(std::string_view text, const std::string& file);

/// All cases of a folder's `<family>/<name>.gir`.
///
/// order    files by path, cases as written
/// errors   kInput also for a case outside the file of its name, a name that occurs twice, no case
base::Result<std::vector<Case>> read_cases(const std::filesystem::path& folder);

}  // namespace graphnet::conformance
