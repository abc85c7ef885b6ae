// SPDX-License-Identifier: MIT
#include "graph/verify_graph.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <type_traits>

#include "graph/node_builder.h"

namespace graphnet::graph {

namespace {

using base::Code;
using base::Status;

template <typename T>
bool holds(const Attribute& attribute) {
  return std::holds_alternative<T>(attribute);
}

bool attribute_fits(const Attribute& attribute, ArgumentType type) {
  switch (type) {
    case ArgumentType::kInt:
      return holds<std::int64_t>(attribute);
    case ArgumentType::kInts:
      return holds<std::vector<std::int64_t>>(attribute);
    case ArgumentType::kFloat:
      return holds<double>(attribute);
    case ArgumentType::kFloats:
      return holds<std::vector<double>>(attribute);
    case ArgumentType::kScalar:
      return holds<bool>(attribute) || holds<std::int64_t>(attribute) || holds<double>(attribute);
    case ArgumentType::kBool:
      return holds<bool>(attribute);
    case ArgumentType::kBools:
      return holds<std::vector<bool>>(attribute);
    case ArgumentType::kString:
      return holds<std::string>(attribute);
    case ArgumentType::kDType:
      return holds<base::DType>(attribute);
    case ArgumentType::kTensor:
    case ArgumentType::kTensorList:
    case ArgumentType::kOther:
      return false;
  }
  return false;
}

bool fits(const Argument& argument, const OpArgument& wanted) {
  if (argument.kind == Argument::Kind::kValue) {
    return wanted.type == ArgumentType::kTensor && argument.values.size() == 1 &&
           argument.values[0] != kNoValue;
  }
  if (argument.kind == Argument::Kind::kValues) return wanted.type == ArgumentType::kTensorList;
  if (holds<std::monostate>(argument.attribute)) {
    // A default of None may stand where the schema's type has no None.
    return wanted.optional || wanted.type == ArgumentType::kOther ||
           (wanted.has_default && holds<std::monostate>(wanted.default_value));
  }
  return attribute_fits(argument.attribute, wanted.type);
}

class Verifier {
 public:
  Verifier(const Graph& graph, const OpLibrary& library)
      : graph_(graph), library_(library), given_(graph.values.size(), false) {}

  Status run() {
    for (std::size_t i = 0; i < graph_.values.size(); ++i) {
      if (graph_.values[i].kind == ValueKind::kConstant) GN_RETURN_IF_ERROR(check_constant(i));
    }
    for (const ValueId id : graph_.parameters) {
      GN_RETURN_IF_ERROR(give(id, "a parameter"));
      const ValueKind kind = graph_.value(id).kind;
      if (kind != ValueKind::kInput && kind != ValueKind::kWeight) {
        return broken("parameter " + name(id) + " is neither input nor weight");
      }
    }
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) GN_RETURN_IF_ERROR(check_node(i));
    for (const ValueId id : graph_.outputs) GN_RETURN_IF_ERROR(read(id, "an output"));
    for (const ValueId id : graph_.specialised) GN_RETURN_IF_ERROR(read(id, "a specialised one"));
    return Status::ok();
  }

 private:
  static Status broken(const std::string& message) {
    return Status(Code::kInternal, "graph: " + message);
  }
  static std::string name(ValueId id) { return "%" + std::to_string(id); }

  bool exists(ValueId id) const {
    return id >= 0 && static_cast<std::size_t>(id) < graph_.values.size();
  }

  Status give(ValueId id, const std::string& who) {
    if (!exists(id)) return broken(who + " gives " + name(id) + ", which does not exist");
    if (given_[static_cast<std::size_t>(id)]) return broken(name(id) + " is given twice");
    given_[static_cast<std::size_t>(id)] = true;
    return Status::ok();
  }

  Status read(ValueId id, const std::string& who) const {
    if (!exists(id)) return broken(who + " reads " + name(id) + ", which does not exist");
    if (given_[static_cast<std::size_t>(id)]) return Status::ok();
    return broken(who + " reads " + name(id) + " before it is given");
  }

  Status check_constant(std::size_t index) {
    const auto id = static_cast<ValueId>(index);
    const Value& value = graph_.value(id);
    const auto count = base::num_elements(value.shape);
    if (!count ||
        value.data.size() != static_cast<std::size_t>(*count) * base::dtype_bytes(value.dtype)) {
      return broken("constant " + name(id) + " has not the bytes of its shape");
    }
    return give(id, "a constant");
  }

  Status check_node(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const std::string who = "node " + std::to_string(index) + " (" + node.op + ")";
    const OpSchema* schema = library_.find(node.op);
    if (schema == nullptr) return broken(who + " is no operator");
    if (schema->arguments.size() != node.arguments.size()) {
      return broken(who + " has not the arguments of its schema");
    }
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      const Argument& argument = node.arguments[i];
      const OpArgument& wanted = schema->arguments[i];
      if (argument.name != wanted.name || !fits(argument, wanted)) {
        return broken(who + ": argument '" + argument.name + "' is not the schema's '" +
                      wanted.name + "'");
      }
      for (const ValueId id : argument.values) {
        if (id != kNoValue) GN_RETURN_IF_ERROR(read(id, who));
      }
    }
    for (const ValueId id : node.results) {
      if (id == kNoValue) continue;
      GN_RETURN_IF_ERROR(give(id, who));
      if (graph_.value(id).kind != ValueKind::kResult) return broken(who + " gives no result");
    }
    return Status::ok();
  }

  const Graph& graph_;
  const OpLibrary& library_;
  std::vector<bool> given_;
};

/// True if the node says the extent that else would follow from values.
bool says_extent(const Node& node) {
  constexpr const char* kNames[] = {"output_size", "num_classes"};
  return std::any_of(std::begin(kNames), std::end(kNames), [&](const char* name) {
    const Argument* argument = find_argument(node, name);
    if (argument == nullptr) return false;
    const auto* extent = std::get_if<std::int64_t>(&argument->attribute);
    return extent != nullptr && *extent >= 0;
  });
}

/// Of an index only masks decide how many elements there are.
bool follows_from_values(const Graph& graph, const Node& node) {
  if (says_extent(node)) return false;
  if (node.op != "aten::index.Tensor") return true;
  const std::vector<ValueId>& indices = find_argument(node, "indices")->values;
  return std::any_of(indices.begin(), indices.end(), [&](ValueId id) {
    return id != kNoValue && (graph.value(id).dtype == base::DType::kBool ||
                              graph.value(id).dtype == base::DType::kUInt8);
  });
}

}  // namespace

Status verify_graph(const Graph& graph, const OpLibrary& library) {
  return Verifier(graph, library).run();
}

Status check_static_shapes(const Graph& graph, const OpLibrary& library) {
  std::vector<bool> varies(graph.values.size(), false);
  for (const ValueId id : graph.parameters) varies[static_cast<std::size_t>(id)] = true;
  for (const Node& node : graph.nodes) {
    bool node_varies = false;
    for_each_read(node, [&](ValueId id) {
      node_varies = node_varies || varies[static_cast<std::size_t>(id)];
    });
    for (const ValueId id : node.results) {
      if (id != kNoValue) varies[static_cast<std::size_t>(id)] = node_varies;
    }
    const OpSchema* schema = library.find(node.op);
    if (!node_varies || schema == nullptr || !schema->has_dynamic_shape) continue;
    if (!follows_from_values(graph, node)) continue;
    std::string message = "shape depends on data: " + node.op;
    if (!node.where.empty()) message += " at " + node.where;
    return Status(Code::kUnsupported, message);
  }
  return Status::ok();
}

}  // namespace graphnet::graph
