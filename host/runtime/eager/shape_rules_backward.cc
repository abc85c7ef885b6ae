// SPDX-License-Identifier: MIT
// Shapes of backward operators: a gradient has the shape of what it is the gradient of.
#include <array>

#include "eager/shape_rules.h"

namespace graphnet::eager {

namespace {

using Notes = std::set<std::string>;

at::Tensor gradient_of(const at::Tensor& tensor) {
  return tensor.defined() ? meta_tensor(tensor.sizes(), tensor.scalar_type()) : at::Tensor();
}

/// Keeps the results that `output_mask` asks for; the others are undefined.
c10::Stack masked(const SchemaView& call, const std::array<at::Tensor, 3>& gradients) {
  const c10::List<bool> wanted = call["output_mask"].toBoolList();
  c10::Stack results;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    results.emplace_back(wanted.get(i) ? gradients[i] : at::Tensor());
  }
  return results;
}

c10::Stack layer_norm_gradients(const SchemaView& call, Notes&) {
  return masked(call, {gradient_of(call.tensor("input")), gradient_of(call.tensor("weight")),
                       gradient_of(call.tensor("bias"))});
}

// The bias is no operand; it is as long as the weight.
c10::Stack norm_gradients(const SchemaView& call, Notes&) {
  const at::Tensor weight = gradient_of(call.tensor("weight"));
  return masked(call, {gradient_of(call.tensor("input")), weight, weight});
}

c10::Stack convolution_gradients(const SchemaView& call, Notes&) {
  const at::Tensor weight = call.tensor("weight");
  const std::int64_t channels =
      call.flag("transposed") ? weight.size(1) * call.integer("groups") : weight.size(0);
  return masked(call, {gradient_of(call.tensor("input")), gradient_of(weight),
                       meta_tensor({channels}, weight.scalar_type())});
}

}  // namespace

const std::vector<ShapeRow> kBackwardShapes = {
    {"aten::convolution_backward", convolution_gradients},
    {"aten::native_batch_norm_backward", norm_gradients},
    {"aten::native_group_norm_backward", norm_gradients},
    {"aten::native_layer_norm_backward", layer_norm_gradients},
};

}  // namespace graphnet::eager
