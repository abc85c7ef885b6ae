// SPDX-License-Identifier: MIT
#include "plugin/graph_body.h"

#include <type_traits>
#include <utility>

#include "plugin/host_services.h"

namespace graphnet::plugin {

namespace {

std::uint32_t to_kind(graph::ValueKind kind) {
  switch (kind) {
    case graph::ValueKind::kInput:
      return GN_VALUE_INPUT;
    case graph::ValueKind::kWeight:
      return GN_VALUE_WEIGHT;
    case graph::ValueKind::kConstant:
      return GN_VALUE_CONSTANT;
    case graph::ValueKind::kResult:
      return GN_VALUE_RESULT;
  }
  return 0;
}

}  // namespace

GraphBody::GraphBody(const Signature& signature) {
  const graph::Graph& graph = *signature.body;
  values_.reserve(graph.values.size());
  for (const graph::Value& value : graph.values) add_value(value);
  // Positions in the signature's two lists, which both follow the order of the parameters.
  std::uint32_t num_inputs = 0;
  std::uint32_t num_weights = 0;
  for (std::size_t i = 0; i < graph.parameters.size(); ++i) {
    gn_value& value = values_[static_cast<std::size_t>(graph.parameters[i])];
    if (i < signature.known.size()) value.data = signature.known[i];
    const Role role = signature.arguments[i].role;
    if (role == Role::kSpecialised) value.kind = GN_VALUE_CONSTANT;
    if (role == Role::kInput) value.index = num_inputs++;
    if (role == Role::kWeight) value.index = num_weights++;
  }
  nodes_.reserve(graph.nodes.size());
  for (const graph::Node& node : graph.nodes) add_node(node);
  outputs_.assign(graph.outputs.begin(), graph.outputs.end());
}

gn_graph_body GraphBody::view() const {
  return {sizeof(gn_graph_body), values_.data(),  values_.size(), nodes_.data(),
          nodes_.size(),         outputs_.data(), outputs_.size()};
}

void GraphBody::add_value(const graph::Value& value) {
  gn_value out = {};
  out.struct_size = sizeof(out);
  out.name = borrow(value.name);
  out.kind = to_kind(value.kind);
  out.dtype = to_dl_type(value.dtype);
  out.rank = static_cast<std::int32_t>(value.shape.size());
  out.shape = value.shape.data();
  out.data = value.kind == graph::ValueKind::kConstant ? value.data.data() : nullptr;
  values_.push_back(out);
}

void GraphBody::add_node(const graph::Node& node) {
  std::vector<gn_argument>& arguments = arguments_.emplace_back();
  arguments.reserve(node.arguments.size());
  for (const graph::Argument& argument : node.arguments) {
    arguments.push_back(to_argument(argument));
  }
  gn_node out = {};
  out.struct_size = sizeof(out);
  out.op = borrow(node.op);
  out.where = borrow(node.where);
  out.arguments = arguments.data();
  out.num_arguments = arguments.size();
  out.results = keep({node.results.begin(), node.results.end()});
  out.num_results = node.results.size();
  nodes_.push_back(out);
}

gn_argument GraphBody::to_argument(const graph::Argument& argument) {
  gn_argument out = {};
  out.struct_size = sizeof(out);
  out.name = borrow(argument.name);
  if (argument.kind == graph::Argument::Kind::kAttribute) {
    set_attribute(argument.attribute, out);
    return out;
  }
  const bool is_list = argument.kind == graph::Argument::Kind::kValues;
  out.kind = static_cast<std::uint32_t>(is_list ? GN_ARGUMENT_VALUES : GN_ARGUMENT_VALUE);
  out.integers = keep({argument.values.begin(), argument.values.end()});
  out.count = argument.values.size();
  return out;
}

void GraphBody::set_attribute(const graph::Attribute& attribute, gn_argument& out) {
  std::visit(
      [&](const auto& value) {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, std::monostate>) {
          out.kind = GN_ARGUMENT_NONE;
        } else if constexpr (std::is_same_v<T, bool>) {
          out.kind = GN_ARGUMENT_BOOL;
          out.integer = value ? 1 : 0;
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
          out.kind = GN_ARGUMENT_INT;
          out.integer = value;
        } else if constexpr (std::is_same_v<T, double>) {
          out.kind = GN_ARGUMENT_FLOAT;
          out.number = value;
        } else if constexpr (std::is_same_v<T, std::string>) {
          out.kind = GN_ARGUMENT_STRING;
          out.text = borrow(value);
        } else if constexpr (std::is_same_v<T, base::DType>) {
          out.kind = GN_ARGUMENT_DTYPE;
          out.dtype = to_dl_type(value);
        } else if constexpr (std::is_same_v<T, std::vector<double>>) {
          out.kind = GN_ARGUMENT_FLOATS;
          out.numbers = value.data();
          out.count = value.size();
        } else {
          constexpr bool kIsBools = std::is_same_v<T, std::vector<bool>>;
          out.kind = kIsBools ? GN_ARGUMENT_BOOLS : GN_ARGUMENT_INTS;
          out.integers = keep({value.begin(), value.end()});
          out.count = value.size();
        }
      },
      attribute);
}

const std::int64_t* GraphBody::keep(std::vector<std::int64_t> integers) {
  return integers_.emplace_back(std::move(integers)).data();
}

}  // namespace graphnet::plugin
