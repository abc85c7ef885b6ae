// SPDX-License-Identifier: MIT
#include "worker/eager_side.h"

#include <algorithm>
#include <utility>

#include "measure/clock.h"

namespace graphnet::worker {

std::vector<eager::EngineArgument> engine_arguments(std::vector<sample::Argument>& arguments) {
  std::vector<eager::EngineArgument> views;
  for (sample::Argument& argument : arguments) {
    views.push_back({argument.dtype, argument.shape, argument.bytes.data(), argument.draw_rank,
                     argument.consumes_torch_generator, argument.needs_torch_normals});
  }
  return views;
}

std::vector<eager::EngineArgument> engine_arguments(const DeviceArguments& arguments) {
  std::vector<eager::EngineArgument> views = engine_arguments(arguments.host());
  if (arguments.device().is_host()) return views;
  for (std::size_t i = 0; i < views.size(); ++i) views[i].on_device = arguments.data(i);
  return views;
}

base::Status copy_outputs(const eager::Engine& engine, std::vector<KeptOutput>& outputs) {
  const auto& results = engine.outputs();
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (outputs.size() == i) {
      GN_ASSIGN_OR_RETURN(KeptOutput output,
                          base::allocate_tensor(results[i].dtype, results[i].shape));
      outputs.push_back(std::move(output));
    }
    GN_RETURN_IF_ERROR(engine.copy_output(i, outputs[i].bytes.data()));
  }
  return base::Status::ok();
}

base::Result<std::unique_ptr<EagerSide>> EagerSide::create(const sample::Sample& sample,
                                                           std::vector<sample::Argument>& arguments,
                                                           device::TensorDevice& device) {
  GN_RETURN_IF_ERROR(eager::Engine::finish_arguments(sample.program, engine_arguments(arguments),
                                                     sample::kUpstreamSeed));
  GN_ASSIGN_OR_RETURN(DeviceArguments on_device, DeviceArguments::create(device, arguments));
  GN_ASSIGN_OR_RETURN(
      auto engine, eager::Engine::create(sample.program, engine_arguments(on_device), device.name(),
                                         sample::kUpstreamSeed));
  return std::unique_ptr<EagerSide>(new EagerSide(std::move(on_device), std::move(engine)));
}

// What is put back must not be under way when a clock starts.
base::Status EagerSide::prepare() {
  GN_RETURN_IF_ERROR(engine_->prepare());
  return device().wait();
}

measure::SideCalls EagerSide::calls() {
  measure::SideCalls side;
  side.prepare = [this] { return prepare_call(); };
  if (device().is_host()) {
    side.call = [this] { return engine_->run(); };
  } else {
    side.call = [this] { return device().run([this] { return engine_->run(); }); };
    side.event_ns = [this] { return device().last_span_ns(); };
  }
  side.after_first = [this] {
    GN_RETURN_IF_ERROR(copy_outputs(kept_));
    return allocate_scratch();
  };
  return side;
}

base::Status EagerSide::allocate_scratch() {
  if (scratch_) return base::Status::ok();
  std::size_t num_bytes = 0;
  for (const KeptOutput& output : kept_) num_bytes += output.bytes.num_bytes();
  GN_ASSIGN_OR_RETURN(device::DeviceBuffer scratch,
                      device::DeviceBuffer::allocate(device(), num_bytes));
  scratch_.emplace(std::move(scratch));
  return base::Status::ok();
}

base::Status EagerSide::prepare_call() {
  if (scratch_) GN_RETURN_IF_ERROR(scratch_->fill(std::byte{0xFF}));
  return engine_->needs_prepare() ? prepare() : device().wait();
}

base::Result<measure::SideDurations> EagerSide::measure(measure::TrialCounts counts) {
  return measure::time_sequential(calls(), counts);
}

base::Result<double> EagerSide::time_copy(std::vector<KeptOutput>& outputs) const {
  const std::vector<DLTensor> tensors = outputs_in_place();
  const std::int64_t begin_ns = measure::monotonic_raw_ns();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    GN_RETURN_IF_ERROR(read_as_if_dense(tensors[i], outputs[i].bytes.data()));
  }
  const auto copy_ns = static_cast<double>(measure::monotonic_raw_ns() - begin_ns);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (!is_dense(tensors[i])) copy_dense(tensors[i], outputs[i].bytes.data());
  }
  return copy_ns;
}

std::vector<DLTensor> EagerSide::outputs_in_place() const {
  std::vector<DLTensor> tensors;
  std::vector<DLTensor*> pointers;
  for (const eager::EngineOutput& output : engine_->outputs()) {
    DLTensor tensor = {};
    tensor.device = plugin::to_dl_device(device().name());
    tensor.ndim = static_cast<std::int32_t>(output.shape.size());
    tensor.dtype = plugin::to_dl_type(output.dtype);
    tensor.shape = const_cast<std::int64_t*>(output.shape.data());
    tensors.push_back(tensor);
  }
  for (DLTensor& tensor : tensors) pointers.push_back(&tensor);
  point_at(engine_->outputs(), pointers.data(), pointers.size());
  return tensors;
}

void EagerSide::describe_outputs(DLTensor* const* outputs, std::uint64_t num_outputs) {
  point_at(engine_->outputs(), outputs, num_outputs);
}

void point_at(const std::vector<eager::EngineOutput>& results, DLTensor* const* outputs,
              std::uint64_t num_outputs) {
  const std::size_t count = std::min<std::size_t>(results.size(), num_outputs);
  for (std::size_t i = 0; i < count; ++i) {
    outputs[i]->data = results[i].data;
    outputs[i]->byte_offset = 0;
    outputs[i]->strides = const_cast<std::int64_t*>(results[i].strides.data());
  }
}

}  // namespace graphnet::worker
