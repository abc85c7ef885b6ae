// SPDX-License-Identifier: MIT
#include "tvm_plugin/program_executable.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tvm_plugin/expression.h"
#include "tvm_plugin/failure.h"

namespace graphnet::tvm {

namespace {

/// A tensor over memory that somebody else keeps.
struct Borrowed {
  DLManagedTensor managed = {};
  Shape shape;
};

std::size_t bytes_of(Type type, const Shape& shape) {
  return static_cast<std::size_t>(lowering::num_elements(shape) * lowering::bytes_of(type));
}

void* data_of(const DLTensor& tensor) {
  return static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
}

bool is_dense(const DLTensor& tensor) {
  if (tensor.strides == nullptr) return true;
  std::int64_t expected = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected) return false;
    expected *= tensor.shape[i];
  }
  return true;
}

const DLTensor& checked(const DLTensor* tensor, const Node& node, const char* kind,
                        std::size_t index) {
  const DLDataType type = tvm_type(node.type);
  const bool fits = tensor->ndim == static_cast<int>(node.shape.size()) &&
                    std::equal(node.shape.begin(), node.shape.end(), tensor->shape) &&
                    tensor->dtype.code == type.code && tensor->dtype.bits == type.bits &&
                    is_dense(*tensor);
  if (fits) return *tensor;
  throw Failure(GN_STATUS_INVALID_ARGUMENT, std::string(kind) + " " + std::to_string(index) +
                                                " is not a dense " +
                                                lowering::describe(node.type, node.shape));
}

}  // namespace

ProgramExecutable::ProgramExecutable(Program program, RelaxModule module, CompiledCode code,
                                     KernelPlan plan)
    : program_(std::move(program)),
      module_(std::move(module)),
      code_(std::move(code)),
      plan_(std::move(plan)),
      main_(module_function(code_.machine, "main")),
      values_(program_.nodes.size()) {
  for (const std::int32_t result : module_.main.results) {
    std::vector<std::size_t> outputs;
    for (std::size_t i = 0; i < program_.outputs.size(); ++i) {
      if (program_.outputs[i] == result) outputs.push_back(i);
    }
    outputs_of_result_.push_back(std::move(outputs));
  }
}

ffi::Tensor ProgramExecutable::view(std::int32_t node, void* data) const {
  auto* const borrowed = new Borrowed;
  borrowed->shape = plan_.storage[static_cast<std::size_t>(node)];
  DLTensor& tensor = borrowed->managed.dl_tensor;
  tensor.data = data;
  tensor.device = {kDLCPU, 0};
  tensor.ndim = static_cast<int>(borrowed->shape.size());
  tensor.dtype = tvm_type(storage_type(program_.at(node).type));
  tensor.shape = borrowed->shape.data();
  borrowed->managed.manager_ctx = borrowed;
  borrowed->managed.deleter = [](DLManagedTensor* self) {
    delete static_cast<Borrowed*>(self->manager_ctx);
  };
  return ffi::Tensor::FromDLPack(&borrowed->managed, 0, true);
}

void* ProgramExecutable::constant_data(std::uint32_t index) {
  const std::string& bytes = program_.constants[index].bytes;
  kept_.emplace_back(bytes.size());
  std::memcpy(kept_.back().data(), bytes.data(), bytes.size());
  return kept_.back().data();
}

void* ProgramExecutable::weight_data(const DLTensor& tensor, const Node& node) {
  void* const data = data_of(tensor);
  if (lowering::is_aligned(data)) return data;
  const std::size_t num_bytes = bytes_of(node.type, node.shape);
  kept_.emplace_back(num_bytes);
  std::memcpy(kept_.back().data(), data, num_bytes);
  return kept_.back().data();
}

void* ProgramExecutable::input_data(const DLTensor& tensor, const Node& node) {
  void* const data = data_of(tensor);
  if (lowering::is_aligned(data)) return data;
  const std::size_t num_bytes = bytes_of(node.type, node.shape);
  copied_inputs_.push_back({data, lowering::AlignedCopy(num_bytes), num_bytes});
  return copied_inputs_.back().copy.data();
}

void ProgramExecutable::bind(gn_bind_args& args) {
  is_bound_ = false;
  is_attached_ = false;
  std::fill(values_.begin(), values_.end(), ffi::Tensor());
  kept_.clear();
  for (std::size_t id = 0; id < program_.nodes.size(); ++id) {
    const Node& node = program_.nodes[id];
    if (node.kind != NodeKind::kArgument || !plan_.is_stored[id]) continue;
    void* data = nullptr;
    if (node.source == ArgumentSource::kWeight) {
      if (node.index >= args.num_weights) {
        throw Failure(GN_STATUS_INVALID_ARGUMENT,
                      "weight " + std::to_string(node.index) + " is missing");
      }
      data = weight_data(checked(args.weights[node.index], node, "weight", node.index), node);
    } else if (node.source == ArgumentSource::kConstant) {
      data = constant_data(node.index);
    } else {
      continue;
    }
    values_[id] = view(static_cast<std::int32_t>(id), data);
  }
  args.kept_bytes = 0;
  if (!module_.bind.results.empty()) {
    std::vector<ffi::AnyView> arguments;
    for (const std::int32_t id : module_.bind.parameters) {
      arguments.push_back(values_[static_cast<std::size_t>(id)]);
    }
    Any given;
    module_function(code_.machine, "bind")
        .CallPacked(arguments.data(), static_cast<int>(arguments.size()), &given);
    const auto results = given.cast<Array<ffi::Tensor>>();
    for (std::size_t i = 0; i < module_.bind.results.size(); ++i) {
      const auto id = static_cast<std::size_t>(module_.bind.results[i]);
      values_[id] = results[static_cast<std::int64_t>(i)];
      args.kept_bytes += bytes_of(program_.nodes[id].type, plan_.storage[id]);
    }
  }
  args.copied = 0;
  is_bound_ = true;
}

void ProgramExecutable::attach(const gn_run_args& args) {
  if (!is_bound_) throw Failure(GN_STATUS_INVALID_ARGUMENT, "run was called without bind");
  copied_inputs_.clear();
  for (std::size_t id = 0; id < program_.nodes.size(); ++id) {
    const Node& node = program_.nodes[id];
    if (node.kind != NodeKind::kArgument || node.source != ArgumentSource::kInput ||
        !plan_.is_stored[id]) {
      continue;
    }
    if (node.index >= args.num_inputs) {
      throw Failure(GN_STATUS_INVALID_ARGUMENT,
                    "input " + std::to_string(node.index) + " is missing");
    }
    const DLTensor& tensor = checked(args.inputs[node.index], node, "input", node.index);
    values_[id] = view(static_cast<std::int32_t>(id), input_data(tensor, node));
  }
  parameters_.clear();
  arguments_.clear();
  for (const std::int32_t id : module_.main.parameters) {
    parameters_.push_back(values_[static_cast<std::size_t>(id)]);
  }
  for (const ffi::Tensor& parameter : parameters_) arguments_.push_back(parameter);
  is_attached_ = true;
}

void ProgramExecutable::take(const ffi::Tensor& value, const DLTensor& output) const {
  const DLTensor& tensor = *value.GetDLTensorPtr();
  std::int64_t count = 1;
  for (int i = 0; i < tensor.ndim; ++i) count *= tensor.shape[i];
  std::memcpy(data_of(output), data_of(tensor),
              static_cast<std::size_t>(count) * tensor.dtype.bits / 8);
}

void ProgramExecutable::run(const gn_run_args& args) {
  if (args.rebind != 0 || !is_attached_) attach(args);
  for (const CopiedInput& input : copied_inputs_) {
    std::memcpy(input.copy.data(), input.source, input.num_bytes);
  }
  if (!module_.main.results.empty()) {
    Any given;
    main_.CallPacked(arguments_.data(), static_cast<int>(arguments_.size()), &given);
    const auto results = given.cast<Array<ffi::Tensor>>();
    for (std::size_t i = 0; i < outputs_of_result_.size(); ++i) {
      for (const std::size_t output : outputs_of_result_[i]) {
        take(results[static_cast<std::int64_t>(i)], *args.outputs[output]);
      }
    }
  }
  for (std::size_t i = 0; i < program_.outputs.size(); ++i) {
    const auto id = static_cast<std::size_t>(program_.outputs[i]);
    if (values_[id].defined()) take(values_[id], *args.outputs[i]);
  }
}

}  // namespace graphnet::tvm
