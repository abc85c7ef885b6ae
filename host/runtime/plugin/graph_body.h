// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "graph/graph.h"
#include "graphnet/abi.h"

namespace graphnet::plugin {

struct Signature;

/// A graph in normal form as the arrays of the ABI. Borrows names, shapes and constants from the
/// graph, which must outlive it.
class GraphBody {
 public:
  /// The body of a signature that has one.
  explicit GraphBody(const Signature& signature);
  GraphBody(const GraphBody&) = delete;
  GraphBody& operator=(const GraphBody&) = delete;

  gn_graph_body view() const;

 private:
  void add_value(const graph::Value& value);
  void add_node(const graph::Node& node);
  gn_argument to_argument(const graph::Argument& argument);
  void set_attribute(const graph::Attribute& attribute, gn_argument& out);
  const std::int64_t* keep(std::vector<std::int64_t> integers);

  std::vector<gn_value> values_;
  std::vector<gn_node> nodes_;
  std::vector<std::int64_t> outputs_;
  // Never moved once filled: the arrays above point into them.
  std::deque<std::vector<gn_argument>> arguments_;
  std::deque<std::vector<std::int64_t>> integers_;
};

}  // namespace graphnet::plugin
