// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "graph/graph.h"
#include "graph/op_library.h"

namespace graphnet::graph {

/// A named argument, to be bound to a schema.
Argument attribute_argument(std::string name, Attribute attribute);
Argument value_argument(std::string name, ValueId value);

/// Null if the node has no argument of that name.
const Argument* find_argument(const Node& node, std::string_view name);
/// The int or ints of an argument that the schema gives that type.
std::int64_t integer_of(const Node& node, std::string_view name);
std::vector<std::int64_t> integers_of(const Node& node, std::string_view name);
/// True if the argument is there and is this bool.
bool is_flag(const Node& node, std::string_view name, bool flag);

/// The arguments of `schema` in its order, defaults filled in.
///
/// errors   kInternal if an argument is unknown to the schema or one without default is missing
base::Result<Node> bind_node(const OpSchema& schema, std::string where,
                             const std::vector<Argument>& given);

/// Calls `visit` with every value that a node reads, by reference; None is skipped.
template <typename AnyNode, typename Visit>
void for_each_read(AnyNode& node, Visit visit) {
  for (auto& argument : node.arguments) {
    for (auto& id : argument.values) {
      if (id != kNoValue) visit(id);
    }
  }
}

}  // namespace graphnet::graph
