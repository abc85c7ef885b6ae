// SPDX-License-Identifier: MIT
#include "tensorrt/natives.h"

#include <algorithm>
#include <iterator>

#include "lowering/ir/composite.h"

namespace graphnet::tensorrt {

namespace ir = lowering::ir;

using ir::Composite;
using ir::value_of;
using lowering::Shape;
using lowering::Tensor;
using lowering::Type;

namespace {

using Tensors = std::vector<Tensor>;

bool is_layer_type(Type type) {
  return type == Type::kF32 || lowering::is_half(type);
}

bool is_given(const Composite& composite, std::string_view name) {
  return !std::holds_alternative<std::monostate>(ir::argument_of(composite, name).value);
}

const Tensor& operand_of(const Composite& composite, const Tensors& operands,
                         std::string_view name) {
  return operands[static_cast<std::size_t>(value_of<ir::Operand>(composite, name).position)];
}

/// All operands and the first result are of one type that layers compute with, and not empty.
bool is_uniform(const Composite& composite, const Tensors& operands) {
  const Type type = composite.results[0].type;
  return is_layer_type(type) && std::all_of(operands.begin(), operands.end(), [&](const Tensor& x) {
           return x.type == type && lowering::num_elements(x.shape) > 0;
         });
}

bool takes_softmax(const Composite& composite, const Tensors& operands) {
  return is_uniform(composite, operands) && operands[0].rank() > 0;
}

bool takes_gelu(const Composite& composite, const Tensors& operands) {
  return is_uniform(composite, operands);
}

bool takes_layer_norm(const Composite& composite, const Tensors& operands) {
  return is_uniform(composite, operands) && is_given(composite, "weight") &&
         is_given(composite, "bias") && operands[0].rank() > 1;
}

bool takes_group_norm(const Composite& composite, const Tensors& operands) {
  return takes_layer_norm(composite, operands) && operands[0].rank() == 4 &&
         value_of<std::int64_t>(composite, "num_groups") > 1;
}

// float32 products are primitives already, and so are those of float16 (network_products.cc); of
// bfloat16 the sum stays of that type.
bool takes_linear(const Composite& composite, const Tensors& operands) {
  return is_uniform(composite, operands) && composite.results[0].type == Type::kBF16 &&
         operands[0].rank() > 1;
}

// Rows of a mask that let nothing attend are 0 in ATen, and nothing says what they are here.
bool takes_attention(const Composite& composite, const Tensors& operands) {
  const Tensor& query = operand_of(composite, operands, "query");
  const Tensor& key = operand_of(composite, operands, "key");
  const Tensor& value = operand_of(composite, operands, "value");
  const bool is_plain = !is_given(composite, "attn_mask") &&
                        value_of<double>(composite, "dropout_p") == 0 && query.rank() == 4 &&
                        key.rank() == 4 && value.rank() == 4;
  if (!is_plain || !is_uniform(composite, operands)) return false;
  return key.shape[0] == query.shape[0] && value.shape[0] == query.shape[0] &&
         key.shape[1] == query.shape[1] && value.shape[1] == query.shape[1] &&
         value.shape[3] == query.shape[3];
}

// Positions are as ATen's where scale factors are those of the extents.
bool takes_resize(const Composite& composite, const Tensors& operands) {
  const Shape& out = composite.results[0].shape;
  if (!is_uniform(composite, operands) || out.size() != 4) return false;
  const auto& given = ir::argument_of(
      composite, composite.op.find(".vec") == std::string::npos ? "scales_h" : "scale_factors");
  if (std::holds_alternative<std::monostate>(given.value)) {
    return composite.op.find(".vec") != std::string::npos || !is_given(composite, "scales_w");
  }
  const auto* const scales = std::get_if<std::vector<double>>(&given.value);
  if (scales == nullptr) return false;
  for (std::size_t i = 0; i < scales->size(); ++i) {
    const auto in = static_cast<double>(operands[0].shape[i + 2]);
    if (in * (*scales)[i] != static_cast<double>(out[i + 2])) return false;
  }
  return true;
}

constexpr ir::Native kNatives[] = {
    {"aten::softmax.int", takes_softmax},
    {"aten::gelu", takes_gelu},
    {"aten::layer_norm", takes_layer_norm},
    {"aten::group_norm", takes_group_norm},
    {"aten::linear", takes_linear},
    {"aten::scaled_dot_product_attention", takes_attention},
    {"aten::upsample_bilinear2d", takes_resize},
    {"aten::upsample_bilinear2d.vec", takes_resize},
};

}  // namespace

bool is_native(const Composite& composite, const Tensors& operands) {
  return ir::is_native({kNatives, std::size(kNatives)}, composite, operands);
}

}  // namespace graphnet::tensorrt
