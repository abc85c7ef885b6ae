// SPDX-License-Identifier: MIT
#include "eager/graph_run.h"

#include <ATen/core/List.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>

#include <optional>
#include <string>
#include <utility>

#include "eager/attribute.h"
#include "eager/engine_output.h"
#include "eager/scalar_type.h"
#include "eager/tape.h"
#include "eager/trace_error.h"
#include "eager/vector_math.h"
#include "eager/wall.h"
#include "graph/node_builder.h"

namespace graphnet::eager {

namespace {

using graph::Argument;
using graph::kNoValue;
using graph::Node;
using graph::ValueId;

c10::OperatorHandle find_operator(const std::string& op) {
  const std::size_t dot = op.find('.');
  const std::string overload = dot == std::string::npos ? "" : op.substr(dot + 1);
  const auto handle = c10::Dispatcher::singleton().findSchema({op.substr(0, dot), overload});
  if (!handle) throw TraceError(base::Code::kInternal, "no operator is called " + op);
  return *handle;
}

/// A view of memory on a device, which is named: asking the driver whose it is would take a call.
at::Tensor wrap(const graph::Value& value, const void* data, c10::Device device) {
  return at::for_blob(const_cast<void*>(data), value.shape)
      .options(at::TensorOptions().dtype(to_scalar_type(value.dtype)).device(device))
      .target_device(device)
      .make_tensor();
}

/// What the graph itself holds, which lies on the host.
at::Tensor wrap_known(const graph::Value& value, c10::Device device) {
  return wrap(value, value.data.data(), c10::Device(c10::kCPU)).to(device);
}

/// A node with its operator resolved.
struct Step {
  c10::OperatorHandle handle;
  std::vector<c10::IValue> constants;  ///< by argument; None where values go
  std::vector<ValueId> freed;          ///< read here for the last time
};

bool is_device(const c10::Type& type) {
  if (type.kind() != c10::TypeKind::OptionalType)
    return type.kind() == c10::TypeKind::DeviceObjType;
  return type.castRaw<c10::OptionalType>()->getElementType()->kind() ==
         c10::TypeKind::DeviceObjType;
}

/// Graphs name no devices: None is the run's where one must be named or nothing else says where.
c10::IValue constant_of(const Node& node, const Argument& argument, const c10::Argument& wanted,
                        c10::Device device) {
  if (argument.kind != Argument::Kind::kAttribute) return {};
  c10::IValue value = to_ivalue(argument.attribute, *wanted.real_type());
  if (device.is_cpu() || !is_device(*wanted.real_type())) return value;
  bool reads = false;
  graph::for_each_read(node, [&](ValueId) { reads = true; });
  return value.isDevice() || !reads ? c10::IValue(device) : value;
}

Step make_step(const Node& node, c10::Device device) {
  Step step{find_operator(node.op), {}, {}};
  const std::vector<c10::Argument>& wanted = step.handle.schema().arguments();
  if (wanted.size() != node.arguments.size()) {
    throw TraceError(base::Code::kInternal, node.op + " has not the arguments of its schema");
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    step.constants.push_back(constant_of(node, node.arguments[i], wanted[i], device));
  }
  return step;
}

bool takes_none(const c10::Argument& argument) {
  const c10::TypePtr& type = argument.real_type();
  return type->kind() == c10::TypeKind::ListType &&
         type->castRaw<c10::ListType>()->getElementType()->kind() == c10::TypeKind::OptionalType;
}

}  // namespace

struct GraphRun::State {
  const graph::Graph* graph = nullptr;
  c10::Device device = c10::Device(c10::kCPU);
  std::vector<Step> steps;
  std::vector<at::Tensor> constants;  // by ValueId
  std::vector<at::Tensor> values;     // by ValueId
  std::vector<at::Tensor> results;
  std::vector<EngineOutput> outputs;

  at::Tensor& value(ValueId id) { return values[static_cast<std::size_t>(id)]; }

  void resolve() {
    std::vector<bool> read(graph->values.size(), false);
    const auto keep = [&](ValueId id) { read[static_cast<std::size_t>(id)] = true; };
    for (std::size_t i = 0; i < graph->values.size(); ++i) {
      if (graph->values[i].kind != graph::ValueKind::kResult) read[i] = true;
    }
    for (const ValueId id : graph->outputs) keep(id);
    for (const Node& node : graph->nodes) steps.push_back(make_step(node, device));
    for (std::size_t i = graph->nodes.size(); i-- > 0;) {
      graph::for_each_read(graph->nodes[i], [&](ValueId id) {
        if (!read[static_cast<std::size_t>(id)]) steps[i].freed.push_back(id);
        keep(id);
      });
    }
    for (const graph::Value& value : graph->values) {
      const bool is_constant = value.kind == graph::ValueKind::kConstant;
      constants.push_back(is_constant ? wrap_known(value, device) : at::Tensor());
    }
  }

  void enter(const std::vector<void*>& arguments) {
    values = constants;
    for (std::size_t i = 0; i < graph->parameters.size(); ++i) {
      const ValueId id = graph->parameters[i];
      const graph::Value& parameter = graph->value(id);
      value(id) = i < arguments.size() ? wrap(parameter, arguments[i], device)
                                       : wrap_known(parameter, device);
    }
  }

  c10::IValue operand(const Argument& argument, const Step& step, std::size_t index) {
    if (argument.kind == Argument::Kind::kAttribute) return step.constants[index];
    if (argument.kind == Argument::Kind::kValue) return value(argument.values[0]);
    if (!takes_none(step.handle.schema().arguments()[index])) {
      c10::List<at::Tensor> list;
      for (const ValueId id : argument.values) list.push_back(value(id));
      return list;
    }
    c10::List<std::optional<at::Tensor>> list;
    for (const ValueId id : argument.values) {
      list.push_back(id == kNoValue ? std::nullopt : std::optional<at::Tensor>(value(id)));
    }
    return list;
  }

  void execute(const Node& node, const Step& step) {
    c10::Stack stack;
    for (std::size_t i = 0; i < node.arguments.size(); ++i) {
      stack.push_back(operand(node.arguments[i], step, i));
    }
    for (const ValueId id : step.freed) value(id).reset();
    try {
      step.handle.callBoxed(&stack);
    } catch (const c10::Error& error) {
      throw TraceError(base::Code::kEnvironment,
                       node.where + ": " + node.op + ": " + error.what_without_backtrace());
    }
    std::size_t next = 0;
    for_each_result(stack, [&](const at::Tensor& tensor) {
      const ValueId id = next < node.results.size() ? node.results[next] : kNoValue;
      ++next;
      if (id != kNoValue) value(id) = tensor;
    });
  }

  void run(const std::vector<void*>& arguments) {
    enter(arguments);
    for (std::size_t i = 0; i < steps.size(); ++i) execute(graph->nodes[i], steps[i]);
    results.clear();
    for (const ValueId id : graph->outputs) results.push_back(value(id));
    values.clear();
    resolve_and_describe(results, outputs);
  }
};

GraphRun::GraphRun(std::unique_ptr<State> state) : state_(std::move(state)) {}
GraphRun::~GraphRun() = default;

base::Result<std::unique_ptr<GraphRun>> GraphRun::create(const graph::Graph& graph,
                                                         base::DeviceName device) {
  auto state = std::make_unique<State>();
  state->graph = &graph;
  state->device = to_device(device);
  resolve_vector_math();
  GN_RETURN_IF_ERROR(guarded([&] {
    const c10::InferenceMode inference(true);
    state->resolve();
  }));
  return std::unique_ptr<GraphRun>(new GraphRun(std::move(state)));
}

base::Status GraphRun::run(const std::vector<void*>& arguments) {
  state_->outputs.clear();
  return guarded([&] {
    const c10::InferenceMode inference(true);
    state_->run(arguments);
  });
}

const std::vector<EngineOutput>& GraphRun::outputs() const {
  return state_->outputs;
}

base::Status GraphRun::copy_output(std::size_t index, void* destination) const {
  return guarded([&] { copy_dense_output(state_->results.at(index), destination); });
}

}  // namespace graphnet::eager
