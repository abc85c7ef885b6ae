// SPDX-License-Identifier: MIT
#include "eager/planner.h"

#include <c10/core/InferenceMode.h>

#include <limits>

#include "eager/argument_tensor.h"
#include "eager/capture.h"
#include "eager/live_cost.h"
#include "eager/meta_executor.h"
#include "eager/scalar_type.h"
#include "eager/tracer.h"
#include "eager/wall.h"

namespace graphnet::eager {

namespace {

constexpr std::int64_t kMostBytes = std::numeric_limits<std::int64_t>::max();

std::int64_t add_saturated(std::int64_t a, std::int64_t b) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? kMostBytes : sum;
}

std::int64_t dense_bytes(at::IntArrayRef shape, std::size_t element_bytes) {
  auto bytes = static_cast<std::int64_t>(element_bytes);
  for (const std::int64_t extent : shape) {
    if (extent == 0) return 0;
    if (__builtin_mul_overflow(bytes, extent, &bytes)) bytes = kMostBytes;
  }
  return bytes;
}

void copy_shapes(const std::vector<RecordedCall>& calls, std::vector<CallShape>& shapes) {
  for (const RecordedCall& call : calls) {
    for (const RecordedTensor& result : call.results) {
      shapes.push_back({call.overload->name, c10::toString(result.type), result.sizes,
                        result.strides, call.flop});
    }
  }
}

void trace(const graph::Program& program, const std::vector<at::Tensor>& arguments,
           const std::vector<bool>& is_weight, CallRecorder& recorder, Plan& plan,
           std::vector<CallShape>* shapes) {
  const c10::InferenceMode inference(true);
  const DefaultTypeGuard default_type(program.default_dtype);
  Tracer tracer(program, arguments, &recorder);
  const std::vector<at::Tensor> results = tracer.run();
  plan.num_calls = recorder.calls().size();
  for (const RecordedCall& call : recorder.calls()) plan.flop += call.flop;
  std::vector<std::int64_t> output_bytes;
  for (const at::Tensor& result : results) {
    output_bytes.push_back(dense_bytes(result.sizes(), result.element_size()));
    plan.output_bytes = add_saturated(plan.output_bytes, output_bytes.back());
  }
  // Copies of written arguments are kept as long as the program is.
  for (const auto& [index, original] : tracer.take_originals()) {
    plan.peak_live_bytes =
        add_saturated(plan.peak_live_bytes, dense_bytes(original.sizes(), original.element_size()));
  }
  const Tape tape = tracer.take_tape();
  plan.peak_live_bytes =
      add_saturated(plan.peak_live_bytes, peak_live_bytes(tape, recorder.calls(), arguments));
  const LiveCost live = live_cost(tape, recorder.calls(), arguments, is_weight, output_bytes);
  plan.live_flop = live.flop;
  plan.live_product_flop = live.product_flop;
  plan.must_move_bytes = live.bytes;
  if (shapes != nullptr) copy_shapes(recorder.calls(), *shapes);
}

struct MetaArguments {
  std::vector<at::Tensor> tensors;
  std::vector<bool> is_weight;
};

MetaArguments meta_arguments(const std::vector<PlanArgument>& arguments) {
  MetaArguments result;
  for (const PlanArgument& argument : arguments) {
    result.tensors.push_back(meta_tensor(argument));
    result.is_weight.push_back(argument.is_weight);
  }
  return result;
}

template <typename Argument>
std::int64_t sum_of_bytes(const std::vector<Argument>& arguments) {
  std::int64_t total = 0;
  for (const Argument& argument : arguments) {
    total = add_saturated(total, dense_bytes(argument.shape, base::dtype_bytes(argument.dtype)));
  }
  return total;
}

}  // namespace

Plan plan_program(const graph::Program& program, const std::vector<PlanArgument>& arguments,
                  std::vector<CallShape>* shapes) {
  Plan plan;
  const base::Status status = guarded([&] {
    const c10::InferenceMode inference(true);
    const auto [tensors, is_weight] = meta_arguments(arguments);
    MetaExecutor executor;
    trace(program, tensors, is_weight, executor, plan, shapes);
    plan.notes.insert(plan.notes.end(), executor.notes().begin(), executor.notes().end());
  });
  // What was found before a failure is no plan.
  if (!status.is_ok()) plan = Plan();
  plan.argument_bytes = sum_of_bytes(arguments);
  plan.unknown = status.message();
  return plan;
}

base::Result<graph::CallList> plan_calls(const graph::Program& program,
                                         const std::vector<PlanArgument>& arguments) {
  graph::CallList calls;
  GN_RETURN_IF_ERROR(guarded([&] {
    const c10::InferenceMode inference(true);
    const DefaultTypeGuard default_type(program.default_dtype);
    const auto [tensors, is_weight] = meta_arguments(arguments);
    MetaExecutor executor;
    CallObserver observer(&executor);
    Tracer tracer(program, tensors, &observer);
    tracer.run();
    const Tape tape = tracer.take_tape();
    calls = to_call_list(
        {program, tape, observer.take_calls(), tensors, tracer.host_read_arguments(), is_weight});
  }));
  return calls;
}

base::Result<Plan> measure_program(const graph::Program& program,
                                   const std::vector<EngineArgument>& arguments,
                                   std::vector<CallShape>* shapes) {
  Plan plan;
  GN_RETURN_IF_ERROR(guarded([&] {
    const c10::InferenceMode inference(true);
    std::vector<at::Tensor> tensors;
    for (const EngineArgument& argument : arguments) tensors.push_back(wrap(argument));
    CallRecorder recorder;
    const std::vector<bool> no_weights(arguments.size(), false);
    trace(program, tensors, no_weights, recorder, plan, shapes);
  }));
  plan.argument_bytes = sum_of_bytes(arguments);
  return plan;
}

}  // namespace graphnet::eager
