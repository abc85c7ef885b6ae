// SPDX-License-Identifier: MIT
#include "graph/node_builder.h"

#include <algorithm>
#include <utility>

namespace graphnet::graph {

using base::Code;
using base::Status;

Argument attribute_argument(std::string name, Attribute attribute) {
  return {std::move(name), Argument::Kind::kAttribute, {}, std::move(attribute)};
}

Argument value_argument(std::string name, ValueId value) {
  return {std::move(name), Argument::Kind::kValue, {value}, {}};
}

const Argument* find_argument(const Node& node, std::string_view name) {
  const auto found = std::find_if(node.arguments.begin(), node.arguments.end(),
                                  [name](const Argument& a) { return a.name == name; });
  return found == node.arguments.end() ? nullptr : &*found;
}

std::int64_t integer_of(const Node& node, std::string_view name) {
  return std::get<std::int64_t>(find_argument(node, name)->attribute);
}

std::vector<std::int64_t> integers_of(const Node& node, std::string_view name) {
  return std::get<std::vector<std::int64_t>>(find_argument(node, name)->attribute);
}

bool is_flag(const Node& node, std::string_view name, bool flag) {
  const Argument* argument = find_argument(node, name);
  if (argument == nullptr) return false;
  const bool* held = std::get_if<bool>(&argument->attribute);
  return held != nullptr && *held == flag;
}

base::Result<Node> bind_node(const OpSchema& schema, std::string where,
                             const std::vector<Argument>& given) {
  Node node{schema.name, std::move(where), {}, {}};
  std::size_t used = 0;
  for (const OpArgument& wanted : schema.arguments) {
    const auto found = std::find_if(given.begin(), given.end(),
                                    [&](const Argument& a) { return a.name == wanted.name; });
    if (found != given.end()) {
      node.arguments.push_back(*found);
      ++used;
    } else if (wanted.has_default) {
      node.arguments.push_back(attribute_argument(wanted.name, wanted.default_value));
    } else {
      return Status(Code::kInternal, schema.name + " needs an argument '" + wanted.name + "'");
    }
  }
  if (used != given.size()) {
    return Status(Code::kInternal, "an argument is not one of " + schema.name);
  }
  return node;
}

}  // namespace graphnet::graph
