// SPDX-License-Identifier: MIT
#include "eager/meta_node.h"

#include <ATen/core/List.h>
#include <ATen/ops/empty.h>

#include <optional>

#include "eager/attribute.h"
#include "eager/scalar_type.h"
#include "eager/trace_error.h"

namespace graphnet::eager {

namespace {

using graph::Argument;

c10::IValue meta_list(const graph::Graph& graph, const Argument& argument, bool takes_none) {
  c10::List<at::Tensor> tensors;
  c10::List<std::optional<at::Tensor>> optional_tensors;
  for (const graph::ValueId id : argument.values) {
    if (id == graph::kNoValue) {
      optional_tensors.push_back(std::nullopt);
      continue;
    }
    const at::Tensor tensor = meta_tensor(graph.value(id));
    tensors.push_back(tensor);
    optional_tensors.push_back(tensor);
  }
  return takes_none ? c10::IValue(optional_tensors) : c10::IValue(tensors);
}

}  // namespace

at::Tensor meta_tensor(const graph::Value& value) {
  return at::empty(
      value.shape,
      at::TensorOptions().dtype(to_scalar_type(value.dtype)).device(c10::Device(c10::kMeta)));
}

c10::Stack meta_arguments(const graph::Graph& graph, const graph::Node& node,
                          const Overload& overload) {
  const std::vector<c10::Argument>& wanted = overload.handle.schema().arguments();
  if (wanted.size() != node.arguments.size()) {
    throw TraceError(base::Code::kInternal, node.op + " has not the arguments of its schema");
  }
  c10::Stack stack;
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    const Argument& argument = node.arguments[i];
    const bool takes_none = overload.parameters[i].type == ParameterType::kOptionalTensorList;
    if (argument.kind == Argument::Kind::kAttribute) {
      stack.push_back(to_ivalue(argument.attribute, *wanted[i].real_type()));
    } else if (argument.kind == Argument::Kind::kValue) {
      stack.emplace_back(meta_tensor(graph.value(argument.values[0])));
    } else {
      stack.push_back(meta_list(graph, argument, takes_none));
    }
  }
  return stack;
}

}  // namespace graphnet::eager
