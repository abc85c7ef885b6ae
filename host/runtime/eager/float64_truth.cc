// SPDX-License-Identifier: MIT
#include "eager/float64_truth.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>

#include <utility>

#include "eager/random_calls.h"
#include "eager/scalar_type.h"
#include "eager/wall.h"
#include "graph/float64.h"

namespace graphnet::eager {

using base::Code;
using base::DType;
using base::Result;
using base::Status;

namespace {

DType widened(DType dtype) {
  if (dtype == DType::kComplex64) return DType::kComplex128;
  return base::is_floating(dtype) ? DType::kFloat64 : dtype;
}

Result<graph::Program> float64_program(const graph::Program& program) {
  GN_RETURN_IF_ERROR(Engine::check(program));
  if (has_live_random_call(program)) {
    return Status(Code::kUnsupported,
                  "no float64 form: it draws random numbers, which are others in float64");
  }
  return graph::as_float64(program);
}

/// A copy of the elements, converted.
Result<base::AlignedBuffer> widened_copy(DType dtype, const std::vector<std::int64_t>& shape,
                                         const void* data) {
  base::AlignedBuffer buffer;
  GN_RETURN_IF_ERROR(guarded([&] {
    const c10::InferenceMode inference(true);
    // from_blob has no form for constant data; this tensor is only read.
    const at::Tensor given = at::from_blob(const_cast<void*>(data), shape,
                                           at::TensorOptions().dtype(to_scalar_type(dtype)));
    const DType wide = widened(dtype);
    buffer = base::AlignedBuffer::allocate(static_cast<std::size_t>(given.numel()) *
                                           base::dtype_bytes(wide));
    if (buffer.data() == nullptr) throw std::bad_alloc();
    at::from_blob(buffer.data(), shape, at::TensorOptions().dtype(to_scalar_type(wide)))
        .copy_(given);
  }));
  return buffer;
}

}  // namespace

Plan plan_float64(const graph::Program& program, const std::vector<PlanArgument>& arguments) {
  Plan refused;
  const Result<graph::Program> converted = float64_program(program);
  if (!converted.is_ok()) {
    refused.unknown = converted.status().message();
    return refused;
  }
  std::vector<base::AlignedBuffer> known(arguments.size());
  std::vector<PlanArgument> wide = arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    wide[i].dtype = widened(arguments[i].dtype);
    if (arguments[i].known == nullptr) continue;
    auto copy = widened_copy(arguments[i].dtype, arguments[i].shape, arguments[i].known);
    if (!copy.is_ok()) {
      refused.unknown = copy.status().message();
      return refused;
    }
    known[i] = std::move(copy).value();
    wide[i].known = known[i].data();
  }
  return plan_program(*converted, wide);
}

Result<std::unique_ptr<Float64Truth>> Float64Truth::create(
    const graph::Program& program, const std::vector<EngineArgument>& arguments) {
  std::unique_ptr<Float64Truth> truth(new Float64Truth());
  GN_ASSIGN_OR_RETURN(truth->program_, float64_program(program));
  std::vector<EngineArgument> wide = arguments;
  for (EngineArgument& argument : wide) {
    GN_ASSIGN_OR_RETURN(base::AlignedBuffer copy,
                        widened_copy(argument.dtype, argument.shape, argument.data));
    argument.dtype = widened(argument.dtype);
    argument.data = copy.data();
    truth->buffers_.push_back(std::move(copy));
  }
  GN_ASSIGN_OR_RETURN(truth->engine_, Engine::create(truth->program_, wide));
  return truth;
}

Status Float64Truth::run() {
  GN_RETURN_IF_ERROR(engine_->prepare());
  return engine_->run();
}

}  // namespace graphnet::eager
