// SPDX-License-Identifier: MIT
#include "eager/program_distance.h"

#include <ATen/core/Tensor.h>
#include <c10/core/InferenceMode.h>

#include <utility>

#include "eager/argument_tensor.h"
#include "eager/scalar_type.h"
#include "eager/trace_error.h"
#include "eager/tracer.h"
#include "eager/wall.h"

namespace graphnet::eager {

namespace {

using base::Code;

std::vector<at::Tensor> outputs_of(const RunnableProgram& runnable) {
  const DefaultTypeGuard default_type(runnable.program->default_dtype);
  std::vector<at::Tensor> arguments;
  for (const EngineArgument& argument : *runnable.arguments) arguments.push_back(wrap(argument));
  Tracer tracer(*runnable.program, arguments);
  std::vector<at::Tensor> outputs = tracer.run();
  // An output may be an argument, which the other run does not share.
  for (at::Tensor& output : outputs) output = output.clone();
  return outputs;
}

OutputDistance describe(const at::Tensor& tensor) {
  OutputDistance distance;
  const auto dtype = from_scalar_type(tensor.scalar_type());
  distance.dtype = dtype ? base::dtype_name(*dtype) : c10::toString(tensor.scalar_type());
  distance.shape = tensor.sizes().vec();
  distance.is_floating = tensor.is_floating_point();
  return distance;
}

OutputDistance distance_of(const at::Tensor& reference, const at::Tensor& other) {
  OutputDistance distance = describe(other);
  distance.same_shape = reference.sizes() == other.sizes();
  distance.is_floating = distance.is_floating && reference.is_floating_point();
  if (!distance.same_shape || !distance.is_floating || other.numel() == 0) return distance;
  const at::Tensor a = reference.to(at::kDouble);
  const at::Tensor b = other.to(at::kDouble);
  distance.num_not_finite =
      a.isfinite().logical_and(b.isfinite().logical_not()).sum().item().toLong();
  const at::Tensor both = a.isfinite().logical_and(b.isfinite());
  const at::Tensor kept = a.masked_select(both);
  const double norm = kept.norm().item().toDouble();
  const double error = b.masked_select(both).sub(kept).norm().item().toDouble();
  distance.relative_rms = error == 0 ? 0 : error / norm;
  return distance;
}

}  // namespace

base::Result<std::vector<OutputDistance>> compare_programs(const RunnableProgram& program,
                                                           const RunnableProgram& other) {
  std::vector<OutputDistance> distances;
  GN_RETURN_IF_ERROR(guarded([&] {
    const c10::InferenceMode inference(true);
    const std::vector<at::Tensor> expected = outputs_of(program);
    const std::vector<at::Tensor> found = outputs_of(other);
    if (expected.size() != found.size()) {
      throw TraceError(Code::kInput, "they have other numbers of outputs");
    }
    for (std::size_t i = 0; i < expected.size(); ++i) {
      distances.push_back(distance_of(expected[i], found[i]));
    }
  }));
  return distances;
}

}  // namespace graphnet::eager
