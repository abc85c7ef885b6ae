// SPDX-License-Identifier: MIT
#include "eager/program_distance.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/Tensor.h>
#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "eager/argument_tensor.h"
#include "eager/scalar_type.h"
#include "eager/tensor_distance.h"
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

/// NaN is the same as NaN.
bool is_equal(const at::Tensor& a, const at::Tensor& b) {
  if (a.scalar_type() != b.scalar_type()) return false;
  return a.eq(b).logical_or(a.ne(a).logical_and(b.ne(b))).all().item().toBool();
}

}  // namespace

OutputDistance distance_of(const at::Tensor& reference, const at::Tensor& other) {
  OutputDistance distance = describe(other);
  distance.same_shape = reference.sizes() == other.sizes();
  distance.is_floating = distance.is_floating && reference.is_floating_point();
  distance.is_equal = distance.same_shape && is_equal(reference, other);
  if (!distance.same_shape || !distance.is_floating || other.numel() == 0) return distance;
  const at::Tensor a = reference.to(at::kDouble);
  const at::Tensor b = other.to(at::kDouble);
  distance.num_not_finite =
      a.isfinite().logical_and(b.isfinite().logical_not()).sum().item().toLong();
  const at::Tensor both = a.isfinite().logical_and(b.isfinite());
  const at::Tensor kept = a.masked_select(both);
  const double norm = kept.norm().item().toDouble();
  distance.rms = norm / std::sqrt(std::max<double>(1, static_cast<double>(kept.numel())));
  const double error = b.masked_select(both).sub(kept).norm().item().toDouble();
  distance.relative_rms = error == 0 ? 0 : error / norm;
  return distance;
}

base::Result<bool> has_finite_outputs(const RunnableProgram& program) {
  bool is_finite = true;
  GN_RETURN_IF_ERROR(guarded([&] {
    const c10::InferenceMode inference(true);
    for (const at::Tensor& output : outputs_of(program)) {
      is_finite = is_finite && output.isfinite().all().item().toBool();
    }
  }));
  return is_finite;
}

base::Result<std::vector<OutputDistance>> compare_programs(const RunnableProgram& program,
                                                           const RunnableProgram& other) {
  std::vector<OutputDistance> distances;
  GN_RETURN_IF_ERROR(guarded([&] {
    const c10::InferenceMode inference(true);
    at::Generator generator = at::detail::getDefaultCPUGenerator();
    const at::Tensor state = generator.get_state();
    const std::vector<at::Tensor> expected = outputs_of(program);
    generator.set_state(state);
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
