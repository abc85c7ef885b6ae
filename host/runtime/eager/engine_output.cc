// SPDX-License-Identifier: MIT
#include "eager/engine_output.h"

#include <ATen/ops/from_blob.h>
#include <c10/core/InferenceMode.h>

#include <string>

#include "eager/scalar_type.h"
#include "eager/trace_error.h"

namespace graphnet::eager {

EngineOutput describe_output(const at::Tensor& tensor) {
  const auto dtype = from_scalar_type(tensor.scalar_type());
  if (!dtype) {
    fail_unsupported(std::string("output of type ") + c10::toString(tensor.scalar_type()));
  }
  return {*dtype, tensor.sizes().vec(), tensor.strides().vec(), tensor.data_ptr()};
}

void resolve_and_describe(std::vector<at::Tensor>& results, std::vector<EngineOutput>& outputs) {
  for (at::Tensor& result : results) {
    if (result.is_conj() || result.is_neg()) result = result.resolve_conj().resolve_neg();
    outputs.push_back(describe_output(result));
  }
}

void copy_dense_output(const at::Tensor& tensor, void* destination) {
  const c10::InferenceMode inference(true);
  at::from_blob(destination, tensor.sizes(), tensor.options().device(c10::Device(c10::kCPU)))
      .copy_(tensor);
}

}  // namespace graphnet::eager
