// SPDX-License-Identifier: MIT
#include "eager/dispatcher_library.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "eager/attribute.h"
#include "eager/meta_node.h"
#include "eager/overload.h"
#include "eager/scalar_type.h"
#include "eager/trace_error.h"
#include "eager/wall.h"

namespace graphnet::eager {

namespace {

using graph::OpArgument;
using graph::OpSchema;

OpSchema describe(const Overload& overload) {
  OpSchema schema{overload.name, {}, overload.handle.hasTag(at::Tag::dynamic_output_shape)};
  for (const c10::Argument& argument : overload.handle.schema().arguments()) {
    const c10::Type& type = *argument.real_type();
    OpArgument described{argument.name(), to_argument_type(type),
                         type.kind() == c10::TypeKind::OptionalType,
                         argument.default_value().has_value(), graph::Attribute()};
    if (described.has_default) {
      described.default_value = to_attribute(*argument.default_value(), type);
    }
    schema.arguments.push_back(std::move(described));
  }
  return schema;
}

/// "aten::add_" to "aten::add", "aten::__iand__" to "aten::__and__"; empty for other names.
std::string functional_name(const std::string& name) {
  constexpr std::string_view kDunder = "aten::__i";
  if (name.rfind(kDunder, 0) == 0) return "aten::__" + name.substr(kDunder.size());
  if (name.back() != '_' || name.rfind("__") == name.size() - 2) return "";
  return name.substr(0, name.size() - 1);
}

// A call in place can be written as this one.
bool takes_the_same(const Overload& in_place, const Overload& functional) {
  const auto& wanted = in_place.parameters;
  if (functional.parameters.empty() || functional.parameters[0].type != ParameterType::kTensor) {
    return false;
  }
  std::size_t found = 1;
  for (std::size_t i = 1; i < functional.parameters.size(); ++i) {
    const SchemaParameter& parameter = functional.parameters[i];
    const auto same = std::find_if(wanted.begin() + 1, wanted.end(), [&](const auto& other) {
      return other.name == parameter.name && other.type == parameter.type;
    });
    if (same == wanted.end() && !parameter.has_default) return false;
    if (same != wanted.end()) ++found;
  }
  return found == wanted.size();
}

const Overload* find_functional(const Overload& in_place) {
  const std::size_t dot = in_place.name.find('.');
  const std::string name = functional_name(in_place.name.substr(0, dot));
  if (name.empty()) return nullptr;
  const std::string same_suffix =
      dot == std::string::npos ? name : name + in_place.name.substr(dot);
  const Overload* preferred = find_overload(same_suffix);
  if (preferred != nullptr && takes_the_same(in_place, *preferred)) return preferred;
  for (const Overload& overload : overloads_of(name)) {
    if (takes_the_same(in_place, overload)) return &overload;
  }
  return nullptr;
}

class DispatcherLibrary final : public graph::OpLibrary {
 public:
  const OpSchema* find(const std::string& op) const override {
    const auto known = schemas_.find(op);
    if (known != schemas_.end()) return known->second.get();
    std::unique_ptr<OpSchema> schema;
    const base::Status status = guarded([&] {
      const Overload* overload = find_overload(op);
      if (overload != nullptr) schema = std::make_unique<OpSchema>(describe(*overload));
    });
    if (!status.is_ok()) schema.reset();
    return schemas_.emplace(op, std::move(schema)).first->second.get();
  }

  const OpSchema* functional_form(const std::string& op) const override {
    const Overload* in_place = find_overload(op);
    if (in_place == nullptr || in_place->handle.hasTag(at::Tag::inplace_view)) return nullptr;
    const Overload* functional = find_functional(*in_place);
    return functional == nullptr ? nullptr : find(functional->name);
  }

  base::Result<base::DType> result_dtype(const graph::Graph& graph,
                                         const graph::Node& node) const override {
    const base::DType self = graph.value(node.arguments[0].values[0]).dtype;
    base::DType found = self;
    GN_RETURN_IF_ERROR(guarded([&] {
      const Overload* overload = find_overload(node.op);
      c10::Stack stack = meta_arguments(graph, node, *overload);
      try {
        overload->handle.callBoxed(&stack);
      } catch (const c10::NotImplementedError&) {
        return;  // activations and their like, which have one type
      }
      const auto dtype = from_scalar_type(stack.at(0).toTensor().scalar_type());
      if (!dtype) fail_unsupported("element type of " + node.op);
      found = *dtype;
    }));
    return found;
  }

 private:
  // Filled on first use: a graph needs some dozens of the 3,200 overloads.
  mutable std::unordered_map<std::string, std::unique_ptr<OpSchema>> schemas_;
};

}  // namespace

const graph::OpLibrary& dispatcher_library() {
  static const DispatcherLibrary library;
  return library;
}

}  // namespace graphnet::eager
