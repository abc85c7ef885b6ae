// SPDX-License-Identifier: MIT
#include "xla/program_executable.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "xla/program_check.h"
#include "xla/tensor_type.h"

namespace graphnet::xla {

using lowering::stablehlo::ArgumentSource;
using lowering::stablehlo::LoweredProgram;
using lowering::stablehlo::Module;
using lowering::stablehlo::ModuleArgument;
using pjrt::HostBufferSemantics;

namespace {

/// The tensor that an argument or result is, from a list of `count` of them.
template <typename Tensor>
const DLTensor& tensor_at(Tensor* const* tensors, std::uint64_t count, std::uint32_t index,
                          const char* kind) {
  if (index < count) return *tensors[index];
  throw Failure(GN_STATUS_INVALID_ARGUMENT, std::string(kind) + " " + std::to_string(index) +
                                                " is missing: there are " + std::to_string(count));
}

const std::byte* weight_data(const gn_bind_args& args, const ModuleArgument& argument,
                             const PjrtClient& client) {
  const DLTensor& weight = tensor_at(args.weights, args.num_weights, argument.index, "weight");
  return checked_data(weight, argument.type, "weight", argument.index, client.device().device_type);
}

bool reads_weights(const Module& module) {
  return std::any_of(module.arguments.begin(), module.arguments.end(), [](const auto& argument) {
    return argument.source == ArgumentSource::kWeight || argument.source == ArgumentSource::kBound;
  });
}

}  // namespace

std::unique_ptr<ProgramExecutable> ProgramExecutable::compile(
    std::shared_ptr<const PjrtClient> client, LoweredProgram program,
    std::vector<CompileOverride> overrides) {
  check_program(program);
  std::optional<CompiledModule> bind;
  if (program.bind) {
    bind = CompiledModule::compile(*client, std::move(*program.bind), overrides);
  }
  CompiledModule main = CompiledModule::compile(*client, std::move(program.main), overrides);
  return std::make_unique<ProgramExecutable>(std::move(client), std::move(main),
                                             std::move(program.result_outputs), std::move(bind),
                                             std::move(overrides));
}

ProgramExecutable::ProgramExecutable(std::shared_ptr<const PjrtClient> client, CompiledModule main,
                                     std::vector<std::uint32_t> result_outputs,
                                     std::optional<CompiledModule> bind,
                                     std::vector<CompileOverride> overrides)
    : client_(std::move(client)),
      main_(std::move(main)),
      result_outputs_(std::move(result_outputs)),
      bind_(std::move(bind)),
      overrides_(std::move(overrides)),
      call_(*client_, main_.executable(), main_.signature().arguments.size(),
            main_.signature().results.size()),
      clock_(client_->is_gpu()) {
  if (client_->is_gpu()) device_copy_.emplace();
  set_up_arguments();
  is_bound_ = !reads_weights(main_.signature());
}

void ProgramExecutable::set_up_arguments() {
  const std::vector<ModuleArgument>& arguments = main_.signature().arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].source == ArgumentSource::kInput) {
      inputs_.push_back({i, nullptr, {}});
    } else if (arguments[i].source == ArgumentSource::kResultMemory) {
      result_memory_.push_back(
          {i,
           client_->buffer_args(arguments[i].type, nullptr, HostBufferSemantics::kMutableZeroCopy),
           {}});
    }
  }
  for (const TensorType& type : main_.signature().results) {
    results_.push_back({nullptr, num_bytes(type)});
  }
}

void ProgramExecutable::bind(gn_bind_args& args) {
  // Until everything is replaced, arguments may point to what is gone.
  is_bound_ = false;
  is_attached_ = false;
  run_bind_module(args);
  weights_.clear();
  bool reads_host_memory = false;
  args.kept_bytes = 0;
  for (const TensorType& type : bind_ ? bind_->signature().results : std::vector<TensorType>()) {
    args.kept_bytes += num_bytes(type);
  }
  const std::vector<ModuleArgument>& arguments = main_.signature().arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const ModuleArgument& argument = arguments[i];
    if (argument.source == ArgumentSource::kBound) {
      call_.set_argument(i, bound_[argument.index].get());
    } else if (argument.source == ArgumentSource::kWeight) {
      weights_.push_back(client_->make_buffer(argument.type, weight_data(args, argument, *client_),
                                              HostBufferSemantics::kImmutableZeroCopy));
      call_.set_argument(i, weights_.back().get());
      reads_host_memory = true;
    }
  }
  args.copied = reads_host_memory ? 0 : 1;
  is_bound_ = true;
}

void ProgramExecutable::run_bind_module(const gn_bind_args& args) {
  bound_.clear();
  if (!bind_) return;
  const Module& module = bind_->signature();
  ModuleCall call(*client_, bind_->executable(), module.arguments.size(), module.results.size());
  std::vector<OwnedBuffer> weights;
  for (std::size_t i = 0; i < module.arguments.size(); ++i) {
    weights.push_back(client_->make_buffer(module.arguments[i].type,
                                           weight_data(args, module.arguments[i], *client_),
                                           HostBufferSemantics::kImmutableZeroCopy));
    call.set_argument(i, weights.back().get());
  }
  call.execute();
  for (std::size_t i = 0; i < module.results.size(); ++i) bound_.push_back(call.take_result(i));
}

/// Takes over the pointers of a call: they stay the same until `rebind` says otherwise.
void ProgramExecutable::attach(const gn_run_args& args) {
  is_attached_ = false;
  if (!is_bound_)
    throw Failure(GN_STATUS_INVALID_ARGUMENT, "run was called without a successful bind");
  const std::vector<ModuleArgument>& arguments = main_.signature().arguments;
  for (Input& input : inputs_) {
    const ModuleArgument& argument = arguments[input.position];
    const DLTensor& tensor = tensor_at(args.inputs, args.num_inputs, argument.index, "input");
    attach_input(input, checked_data(tensor, argument.type, "input", argument.index,
                                     client_->device().device_type));
  }
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const std::uint32_t output = result_outputs_[i];
    const DLTensor& tensor = tensor_at(args.outputs, args.num_outputs, output, "output");
    results_[i].data = checked_data(tensor, main_.signature().results[i], "output", output,
                                    client_->device().device_type);
  }
  for (ResultMemory& memory : result_memory_) {
    memory.args.data = results_[arguments[memory.position].index].data;
  }
  is_attached_ = true;
}

void ProgramExecutable::attach_input(Input& input, const std::byte* source) {
  if (input.source == source) return;
  const TensorType& type = main_.signature().arguments[input.position].type;
  input.source = nullptr;
  input.buffer = client_->make_buffer(type, source, HostBufferSemantics::kImmutableZeroCopy);
  call_.set_argument(input.position, input.buffer.get());
  input.source = source;
}

/// Donating a buffer uses it up, so each call needs new ones.
void ProgramExecutable::lend_result_memory() {
  const PjrtLibrary& library = client_->library();
  for (ResultMemory& memory : result_memory_) {
    library.check(memory.args, GN_STATUS_RUNTIME_FAILED, "XLA cannot use the memory of an output");
    memory.buffer = OwnedBuffer(library, memory.args.buffer);
    library.destroy<pjrt::EventDestroyArgs>(memory.args.done_with_host_buffer);
    call_.set_argument(memory.position, memory.args.buffer);
  }
}

void ProgramExecutable::take_results(void* stream) {
  for (std::size_t i = 0; i < results_.size(); ++i) {
    const void* data = client_->data(call_.result(i));
    if (data == results_[i].data) continue;
    if (device_copy_) {
      device_copy_->copy(results_[i].data, data, results_[i].num_bytes, stream);
    } else {
      std::memcpy(results_[i].data, data, results_[i].num_bytes);
    }
  }
  call_.destroy_results();
  for (ResultMemory& memory : result_memory_) memory.buffer.reset();
}

void ProgramExecutable::run(const gn_run_args& args) {
  if (args.rebind != 0 || !is_attached_) attach(args);
  lend_result_memory();
  clock_.start();
  call_.execute(clock_);
  take_results(args.stream);
  clock_.lap(&CallTimes::copy_ns);
  clock_.finish();
}

}  // namespace graphnet::xla
