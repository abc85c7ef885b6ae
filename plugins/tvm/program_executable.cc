// SPDX-License-Identifier: MIT
#include "tvm_plugin/program_executable.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "graphnet/failure.h"
#include "tvm_plugin/expression.h"

namespace graphnet::tvm {

namespace {

/// A tensor over memory that somebody else keeps.
struct Borrowed {
  DLManagedTensor managed = {};
  Shape shape;
};

void* data_of(const DLTensor& tensor) {
  return static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
}

/// Functions of a program do not write what they read.
void* data_of(const lowering::SharedBytes& constant) {
  return const_cast<std::byte*>(constant.data());
}

bool is_dense(const DLTensor& tensor) {
  const bool is_empty = std::count(tensor.shape, tensor.shape + tensor.ndim, 0) != 0;
  if (tensor.strides == nullptr || is_empty) return true;
  std::int64_t expected = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected) return false;
    expected *= tensor.shape[i];
  }
  return true;
}

const DLTensor& checked(const DLTensor* tensor, const StoredValue& value, const char* kind,
                        std::size_t index) {
  const DLDataType type = tvm_type(value.type);
  const bool fits = tensor->ndim == static_cast<int>(value.shape.size()) &&
                    std::equal(value.shape.begin(), value.shape.end(), tensor->shape) &&
                    tensor->dtype.code == type.code && tensor->dtype.bits == type.bits &&
                    is_dense(*tensor);
  if (fits) return *tensor;
  throw Failure(GN_STATUS_INVALID_ARGUMENT, std::string(kind) + " " + std::to_string(index) +
                                                " is not a dense " +
                                                lowering::describe(value.type, value.shape));
}

/// `data` as a tensor in the form that the module takes.
ffi::Tensor view(const StoredValue& value, void* data) {
  auto* const borrowed = new Borrowed;
  borrowed->shape = value.storage;
  DLTensor& tensor = borrowed->managed.dl_tensor;
  tensor.data = data;
  tensor.device = {kDLCPU, 0};
  tensor.ndim = static_cast<int>(borrowed->shape.size());
  tensor.dtype = tvm_type(storage_type(value.type));
  tensor.shape = borrowed->shape.data();
  borrowed->managed.manager_ctx = borrowed;
  borrowed->managed.deleter = [](DLManagedTensor* self) {
    delete static_cast<Borrowed*>(self->manager_ctx);
  };
  return ffi::Tensor::FromDLPack(&borrowed->managed, 0, true);
}

Array<ffi::Tensor> call_function(const ffi::Function& function,
                                 const std::vector<ffi::AnyView>& arguments) {
  Any given;
  function.CallPacked(arguments.data(), static_cast<int>(arguments.size()), &given);
  return given.cast<Array<ffi::Tensor>>();
}

}  // namespace

ProgramExecutable::ProgramExecutable(CallPlan plan, CompiledCode code)
    : plan_(std::move(plan)),
      code_(std::move(code)),
      main_(module_function(code_.machine, "main")),
      values_(plan_.values.size()) {
  for (const std::int32_t result : plan_.main.results) {
    std::vector<std::size_t> outputs;
    for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
      if (plan_.outputs[i] == result) outputs.push_back(i);
    }
    outputs_of_result_.push_back(std::move(outputs));
  }
}

void ProgramExecutable::bind(gn_bind_args& args) {
  is_bound_ = false;
  is_attached_ = false;
  std::fill(values_.begin(), values_.end(), ffi::Tensor());
  for (std::size_t id = 0; id < plan_.values.size(); ++id) {
    const StoredValue& value = plan_.values[id];
    if (!value.is_argument) continue;
    void* data = nullptr;
    if (value.source == ArgumentSource::kWeight) {
      if (value.index >= args.num_weights) {
        throw Failure(GN_STATUS_INVALID_ARGUMENT,
                      "weight " + std::to_string(value.index) + " is missing");
      }
      data = data_of(checked(args.weights[value.index], value, "weight", value.index));
    } else if (value.source == ArgumentSource::kConstant) {
      data = data_of(plan_.constants[value.index]);
    } else {
      continue;
    }
    values_[id] = view(value, data);
  }
  args.kept_bytes = 0;
  if (!plan_.bind.results.empty()) run_bind_function(args);
  args.copied = 0;
  is_bound_ = true;
}

void ProgramExecutable::run_bind_function(gn_bind_args& args) {
  std::vector<ffi::AnyView> arguments;
  for (const std::int32_t id : plan_.bind.parameters) {
    arguments.push_back(values_[static_cast<std::size_t>(id)]);
  }
  const auto results = call_function(module_function(code_.machine, "bind"), arguments);
  for (std::size_t i = 0; i < plan_.bind.results.size(); ++i) {
    const auto id = static_cast<std::size_t>(plan_.bind.results[i]);
    values_[id] = results[static_cast<std::int64_t>(i)];
    args.kept_bytes += bytes_of(plan_.values[id]);
  }
}

void ProgramExecutable::attach(const gn_run_args& args) {
  if (!is_bound_) throw Failure(GN_STATUS_INVALID_ARGUMENT, "run was called without bind");
  for (std::size_t id = 0; id < plan_.values.size(); ++id) {
    const StoredValue& value = plan_.values[id];
    if (!value.is_argument || value.source != ArgumentSource::kInput) continue;
    if (value.index >= args.num_inputs) {
      throw Failure(GN_STATUS_INVALID_ARGUMENT,
                    "input " + std::to_string(value.index) + " is missing");
    }
    const DLTensor& tensor = checked(args.inputs[value.index], value, "input", value.index);
    values_[id] = view(value, data_of(tensor));
  }
  // A stored program may be of another graph.
  if (args.num_outputs != plan_.outputs.size()) {
    throw Failure(GN_STATUS_INVALID_ARGUMENT,
                  "the program has " + std::to_string(plan_.outputs.size()) + " outputs, not " +
                      std::to_string(args.num_outputs));
  }
  for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
    checked(args.outputs[i], plan_.values[static_cast<std::size_t>(plan_.outputs[i])], "output", i);
  }
  parameters_.clear();
  arguments_.clear();
  for (const std::int32_t id : plan_.main.parameters) {
    parameters_.push_back(values_[static_cast<std::size_t>(id)]);
  }
  for (const ffi::Tensor& parameter : parameters_) arguments_.push_back(parameter);
  is_attached_ = true;
}

void ProgramExecutable::take(const ffi::Tensor& value, std::size_t output,
                             const gn_run_args& args) const {
  const auto id = static_cast<std::size_t>(plan_.outputs[output]);
  std::memcpy(data_of(*args.outputs[output]), data_of(*value.GetDLTensorPtr()),
              bytes_of(plan_.values[id]));
}

void ProgramExecutable::run(const gn_run_args& args) {
  if (args.rebind != 0 || !is_attached_) attach(args);
  if (!plan_.main.results.empty()) {
    const auto results = call_function(main_, arguments_);
    for (std::size_t i = 0; i < outputs_of_result_.size(); ++i) {
      for (const std::size_t output : outputs_of_result_[i]) {
        take(results[static_cast<std::int64_t>(i)], output, args);
      }
    }
  }
  for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
    const auto id = static_cast<std::size_t>(plan_.outputs[i]);
    if (values_[id].defined()) take(values_[id], i, args);
  }
}

}  // namespace graphnet::tvm
