// SPDX-License-Identifier: MIT
#include "tvm_plugin/program_executable.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "graphnet/failure.h"
#include "tvm_plugin/clock.h"
#include "tvm_plugin/expression.h"
#include "tvm_plugin/thread_pool.h"

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

/// Whether memory holds such elements. A graph has the parts of a complex number in a dimension of
/// their own (lowering/ir/passes/real_parts.h).
bool holds(const DLTensor& tensor, const StoredValue& value) {
  const DLDataType type = tvm_type(value.type);
  const bool is_pair = tensor.dtype.code == kDLComplex;
  const std::size_t rank = static_cast<std::size_t>(tensor.ndim) + (is_pair ? 1 : 0);
  return rank == value.shape.size() && (!is_pair || value.shape.back() == 2) &&
         std::equal(tensor.shape, tensor.shape + tensor.ndim, value.shape.begin()) &&
         (is_pair ? type.code == kDLFloat && tensor.dtype.bits == 2 * type.bits
                  : tensor.dtype.code == type.code && tensor.dtype.bits == type.bits);
}

const DLTensor& checked(const DLTensor* tensor, const StoredValue& value, const char* kind,
                        std::size_t index) {
  if (holds(*tensor, value) && is_dense(*tensor)) return *tensor;
  throw Failure(GN_STATUS_INVALID_ARGUMENT, std::string(kind) + " " + std::to_string(index) +
                                                " is not a dense " +
                                                lowering::describe(value.type, value.shape));
}

/// A tensor in the form that kernels take; its data is set later.
ffi::Tensor tensor_of(const StoredValue& value) {
  auto* const borrowed = new Borrowed;
  borrowed->shape = value.storage;
  DLTensor& tensor = borrowed->managed.dl_tensor;
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

/// By value: when what `calls` make is needed. Of other values it says nothing.
std::vector<Lifetime> lifetimes_in(const std::vector<KernelCall>& calls, const CallPlan& plan) {
  std::vector<Lifetime> lifetimes(plan.values.size());
  for (std::size_t i = 0; i < calls.size(); ++i) {
    for (const std::int32_t id : calls[i].results) {
      const auto index = static_cast<std::size_t>(id);
      lifetimes[index] = {bytes_of(plan.values[index]), i, i};
    }
    for (const std::int32_t id : calls[i].inputs) lifetimes[static_cast<std::size_t>(id)].last = i;
  }
  return lifetimes;
}

/// The results of `calls` that are `wanted`, in one block; `is_lasting`: all are needed in the end.
Layout layout_of(const std::vector<KernelCall>& calls, const CallPlan& plan,
                 const std::vector<bool>& wanted, bool is_lasting) {
  const std::vector<Lifetime> lifetimes = lifetimes_in(calls, plan);
  Layout layout;
  std::vector<Lifetime> buffers;
  for (const KernelCall& call : calls) {
    for (const std::int32_t id : call.results) {
      const auto index = static_cast<std::size_t>(id);
      if (!wanted[index]) continue;
      layout.values.push_back(id);
      buffers.push_back(lifetimes[index]);
      if (is_lasting) buffers.back().last = calls.size();
    }
  }
  layout.memory = plan_memory(buffers);
  return layout;
}

void perform(const ffi::Function& function, const std::vector<ffi::AnyView>& arguments) {
  Any ignored;
  function.CallPacked(arguments.data(), static_cast<int>(arguments.size()), &ignored);
}

}  // namespace

ProgramExecutable::ProgramExecutable(CallPlan plan, CompiledCode code)
    : plan_(std::move(plan)), code_(std::move(code)) {
  for (const StoredValue& value : plan_.values) tensors_.push_back(tensor_of(value));
  for (const KernelCall& call : plan_.bind) bind_calls_.push_back(ready(call));
  for (const KernelCall& call : plan_.main) main_calls_.push_back(ready(call));

  std::vector<bool> is_of_main(plan_.values.size());
  std::vector<bool> is_kept(plan_.values.size());
  for (const KernelCall& call : plan_.main) {
    for (const std::int32_t id : call.inputs) is_kept[static_cast<std::size_t>(id)] = true;
    for (const std::int32_t id : call.results) is_of_main[static_cast<std::size_t>(id)] = true;
  }
  std::vector<bool> is_output(plan_.values.size());
  for (std::size_t i = 0; i < plan_.outputs.size(); ++i) {
    const auto id = static_cast<std::size_t>(plan_.outputs[i]);
    (is_of_main[id] && !is_output[id] ? written_outputs_ : copied_outputs_).push_back(i);
    is_output[id] = true;
    is_kept[id] = true;
  }
  kept_layout_ = layout_of(plan_.bind, plan_, is_kept, true);
  is_kept.flip();
  bind_layout_ = layout_of(plan_.bind, plan_, is_kept, false);
  is_output.flip();
  main_layout_ = layout_of(plan_.main, plan_, is_output, false);
}

ProgramExecutable::ReadyCall ProgramExecutable::ready(const KernelCall& call) {
  ReadyCall made;
  made.function = call.is_extern ? ffi::Function::GetGlobalRequired(call.function)
                                 : code_.kernel(call.function);
  const auto add_all = [&](const std::vector<std::int32_t>& ids) {
    for (const std::int32_t id : ids) {
      made.arguments.emplace_back(tensors_[static_cast<std::size_t>(id)]);
    }
  };
  add_all(call.inputs);
  if (call.is_extern) made.arguments.emplace_back(attributes_.emplace_back(call.attributes));
  add_all(call.results);
  return made;
}

MemoryBlock ProgramExecutable::block_of(const Layout& layout) {
  MemoryBlock block = allocate_block(layout.memory.num_bytes);
  for (std::size_t i = 0; i < layout.values.size(); ++i) {
    place(layout.values[i], block.get() + layout.memory.offsets[i]);
  }
  return block;
}

// Tensors are of this object alone, and calls hold them: another tensor would be another argument.
void ProgramExecutable::place(std::int32_t id, void* data) {
  const_cast<DLTensor*>(tensors_[static_cast<std::size_t>(id)].GetDLTensorPtr())->data = data;
}

void ProgramExecutable::place_weights(const gn_bind_args& args) {
  for (std::size_t id = 0; id < plan_.values.size(); ++id) {
    const StoredValue& value = plan_.values[id];
    if (!value.is_argument || value.source == ArgumentSource::kInput) continue;
    if (value.source == ArgumentSource::kConstant) {
      place(static_cast<std::int32_t>(id), data_of(plan_.constants[value.index]));
      continue;
    }
    if (value.index >= args.num_weights) {
      throw Failure(GN_STATUS_INVALID_ARGUMENT,
                    "weight " + std::to_string(value.index) + " is missing");
    }
    const DLTensor& weight = checked(args.weights[value.index], value, "weight", value.index);
    place(static_cast<std::int32_t>(id), data_of(weight));
  }
}

void ProgramExecutable::bind(gn_bind_args& args) {
  is_bound_ = false;
  is_attached_ = false;
  place_weights(args);
  if (!kept_) kept_ = block_of(kept_layout_);
  if (!scratch_) scratch_ = block_of(main_layout_);
  {
    const PoolCall pool_call;
    const MemoryBlock temporary = block_of(bind_layout_);
    for (const ReadyCall& call : bind_calls_) perform(call.function, call.arguments);
  }
  for (const std::int32_t id : bind_layout_.values) place(id, nullptr);
  args.kept_bytes = kept_layout_.memory.num_bytes;
  args.copied = 0;
  is_bound_ = true;
}

void ProgramExecutable::attach(const gn_run_args& args) {
  if (!is_bound_) throw Failure(GN_STATUS_INVALID_ARGUMENT, "run was called without bind");
  is_attached_ = false;
  for (std::size_t id = 0; id < plan_.values.size(); ++id) {
    const StoredValue& value = plan_.values[id];
    if (!value.is_argument || value.source != ArgumentSource::kInput) continue;
    if (value.index >= args.num_inputs) {
      throw Failure(GN_STATUS_INVALID_ARGUMENT,
                    "input " + std::to_string(value.index) + " is missing");
    }
    const DLTensor& input = checked(args.inputs[value.index], value, "input", value.index);
    place(static_cast<std::int32_t>(id), data_of(input));
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
  for (const std::size_t i : written_outputs_) place(plan_.outputs[i], data_of(*args.outputs[i]));
  is_attached_ = true;
}

void ProgramExecutable::copy_outputs(const gn_run_args& args) const {
  for (const std::size_t i : copied_outputs_) {
    const auto id = static_cast<std::size_t>(plan_.outputs[i]);
    std::memcpy(data_of(*args.outputs[i]), data_of(*tensors_[id].GetDLTensorPtr()),
                bytes_of(plan_.values[id]));
  }
}

void ProgramExecutable::run(const gn_run_args& args) {
  const PoolCall pool_call;
  if (args.rebind != 0 || !is_attached_) attach(args);
  if (times_.seconds.empty() || !was_run_) {
    for (const ReadyCall& call : main_calls_) perform(call.function, call.arguments);
  } else {
    make_timed_calls();
  }
  was_run_ = true;
  copy_outputs(args);
}

void ProgramExecutable::make_timed_calls() {
  double before = seconds_now();
  for (std::size_t i = 0; i < main_calls_.size(); ++i) {
    perform(main_calls_[i].function, main_calls_[i].arguments);
    const double after = seconds_now();
    times_.seconds[i] += after - before;
    before = after;
  }
  ++times_.num_runs;
}

}  // namespace graphnet::tvm
