// SPDX-License-Identifier: MIT
#include "plugin/host_services.h"

#include <utility>

#include "base/log.h"
#include "plugin/cancellation.h"
#include "plugin/status_bridge.h"

namespace graphnet::plugin {

namespace {

gn_value to_value(const SignatureEntry& entry, std::uint32_t kind) {
  gn_value value = {};
  value.struct_size = sizeof(value);
  value.name = borrow(entry.name);
  value.kind = kind;
  value.dtype = to_dl_type(entry.dtype);
  value.rank = static_cast<std::int32_t>(entry.shape.size());
  value.shape = entry.shape.data();
  return value;
}

}  // namespace

gn_string borrow(const std::string& text) {
  return {text.data(), text.size()};
}

std::uint32_t to_gn(const base::MathPolicy& math) {
  std::uint32_t flags = 0;
  if (math.tf32) flags |= GN_MATH_ALLOW_TF32;
  if (math.fast_math) flags |= GN_MATH_ALLOW_FAST_MATH;
  if (math.flush_denormals) flags |= GN_MATH_FLUSH_DENORMALS;
  return flags;
}

DLDataType to_dl_type(base::DType dtype) {
  const auto bits = static_cast<std::uint8_t>(8 * base::dtype_bytes(dtype));
  switch (dtype) {
    case base::DType::kBool:
      return {kDLBool, bits, 1};
    case base::DType::kUInt8:
      return {kDLUInt, bits, 1};
    case base::DType::kBFloat16:
      return {kDLBfloat, bits, 1};
    case base::DType::kComplex64:
    case base::DType::kComplex128:
      return {kDLComplex, bits, 1};
    default:
      return {static_cast<std::uint8_t>(base::is_floating(dtype) ? kDLFloat : kDLInt), bits, 1};
  }
}

DLDevice to_dl_device(base::DeviceName device) {
  return {device.is_cuda ? kDLCUDA : kDLCPU, device.index};
}

HostServices::HostServices(HostSettings settings, EagerService* eager, std::uint32_t abi_minor)
    : settings_(std::move(settings)), eager_(eager) {
  api_.struct_size = sizeof(api_);
  api_.abi_major = GN_ABI_MAJOR;
  api_.abi_minor = abi_minor;
  api_.host = reinterpret_cast<gn_host*>(this);
  api_.device = to_dl_device(settings_.device);
  api_.num_threads = settings_.threads;
  api_.math_policy = to_gn(settings_.math);
  api_.memory_limit_bytes = settings_.memory_limit_bytes;
  api_.dump_folder = borrow(settings_.dump_folder);
  api_.status_new = status_new;
  api_.log = log;
  api_.cancelled = cancelled;
  api_.graph_signature = graph_signature;
  api_.eager_compile = eager_compile;
  api_.eager_run = eager_run;
  api_.graph_body = graph_body;
}

gn_status* HostServices::status_new(gn_host*, std::uint32_t code, gn_string message) {
  // A plugin's message may be a whole compiler log; the record keeps what a person can read.
  constexpr std::uint64_t kLongest = std::uint64_t{64} << 10U;
  auto* status = new gn_status;
  status->code = code;
  if (message.data != nullptr)
    status->message.assign(message.data, std::min(message.size, kLongest));
  return status;
}

void HostServices::log(gn_host*, std::uint32_t level, gn_string text) {
  const auto bounded =
      level <= GN_LOG_ERROR ? static_cast<base::LogLevel>(level) : base::LogLevel::kError;
  if (text.data != nullptr) base::log(bounded, "plugin", std::string_view(text.data, text.size));
}

std::int32_t HostServices::cancelled(gn_host*) {
  return Cancellation::ask() ? 1 : 0;
}

gn_status* HostServices::graph_signature(gn_host*, const gn_graph* graph, gn_graph_signature* out) {
  out->struct_size = sizeof(*out);
  out->sample = borrow(graph->signature.sample);
  out->inputs = graph->inputs.data();
  out->num_inputs = graph->inputs.size();
  out->weights = graph->weights.data();
  out->num_weights = graph->weights.size();
  out->outputs = graph->outputs.data();
  out->num_outputs = graph->outputs.size();
  return nullptr;
}

gn_status* HostServices::eager_compile(gn_host* host, const gn_graph*, gn_eager_executable** out) {
  // One graph per worker: the engine has it already, and resolves its calls in the first run.
  *out = reinterpret_cast<gn_eager_executable*>(self(host).eager_);
  return nullptr;
}

gn_status* HostServices::eager_run(gn_host* host, gn_eager_executable* executable,
                                   const gn_run_args* args) {
  HostServices& services = self(host);
  ++services.eager_runs_;
  auto* eager = reinterpret_cast<EagerService*>(executable);
  const base::Status status = eager->run();
  if (!status.is_ok()) {
    const std::string text = status.to_string();
    return status_new(host, GN_STATUS_RUNTIME_FAILED, borrow(text));
  }
  eager->describe_outputs(args->outputs, args->num_outputs);
  // In the clock of a plugin that uses the service: allocates in its first run only.
  services.eager_outputs_.resize(args->num_outputs);
  for (std::uint64_t i = 0; i < args->num_outputs; ++i) {
    services.eager_outputs_[i] = *args->outputs[i];
  }
  return nullptr;
}

gn_status* HostServices::graph_body(gn_host* host, const gn_graph* graph, gn_graph_body* out) {
  if (graph->body == nullptr) {
    return status_new(host, GN_STATUS_UNSUPPORTED, borrow(graph->signature.body_missing));
  }
  *out = graph->body->view();
  return nullptr;
}

Signature signature_of(const graph::Graph& graph) {
  Signature signature;
  signature.sample = graph.name;
  for (const graph::ValueId id : graph.parameters) {
    const graph::Value& value = graph.value(id);
    const Role role = value.kind == graph::ValueKind::kWeight ? Role::kWeight : Role::kInput;
    signature.arguments.push_back({value.name, role, value.dtype, value.shape});
  }
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    const graph::Value& value = graph.value(graph.outputs[i]);
    signature.outputs.push_back(
        {"output" + std::to_string(i), Role::kOutput, value.dtype, value.shape});
  }
  signature.body = &graph;
  return signature;
}

}  // namespace graphnet::plugin

gn_graph::gn_graph(const graphnet::plugin::Signature& described) : signature(described) {
  using graphnet::plugin::SignatureEntry;
  for (const SignatureEntry& entry : signature.arguments) {
    if (entry.role == graphnet::plugin::Role::kSpecialised) continue;
    const bool is_weight = entry.role == graphnet::plugin::Role::kWeight;
    auto& list = is_weight ? weights : inputs;
    list.push_back(graphnet::plugin::to_value(
        entry, static_cast<std::uint32_t>(is_weight ? GN_VALUE_WEIGHT : GN_VALUE_INPUT)));
    list.back().index = static_cast<std::uint32_t>(list.size() - 1);
  }
  for (const SignatureEntry& entry : signature.outputs) {
    outputs.push_back(graphnet::plugin::to_value(entry, 0));
  }
  if (signature.body != nullptr) {
    body = std::make_unique<graphnet::plugin::GraphBody>(signature);
  }
}
