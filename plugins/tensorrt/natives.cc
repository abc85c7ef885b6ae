// SPDX-License-Identifier: MIT
#include "tensorrt/natives.h"

#include <algorithm>
#include <cmath>
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
  return is_uniform(composite, operands) && ir::is_given(composite, "weight") &&
         ir::is_given(composite, "bias") && operands[0].rank() > 1;
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
  const Tensor& query = ir::operand_of(composite, operands, "query");
  const Tensor& key = ir::operand_of(composite, operands, "key");
  const Tensor& value = ir::operand_of(composite, operands, "value");
  const bool is_plain = !ir::is_given(composite, "attn_mask") &&
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
    return composite.op.find(".vec") != std::string::npos || !ir::is_given(composite, "scales_w");
  }
  const auto* const scales = std::get_if<std::vector<double>>(&given.value);
  if (scales == nullptr) return false;
  for (std::size_t i = 0; i < scales->size(); ++i) {
    const auto in = static_cast<double>(operands[0].shape[i + 2]);
    if (in * (*scales)[i] != static_cast<double>(out[i + 2])) return false;
  }
  return true;
}

/// An operator with its operands, and where its layers go.
struct NativeCall {
  Network& network;
  Constants& constants;
  const Composite& composite;
  const std::vector<Tensor>& operands;

  bool has(std::string_view name) const { return ir::is_given(composite, name); }
  const Tensor& operand(std::string_view name) const {
    return ir::operand_of(composite, operands, name);
  }
  const Shape& shape() const { return composite.results[0].shape; }
};

Tensor softmax(const NativeCall& call) {
  const Tensor& x = call.operands[0];
  const auto dim = value_of<std::int64_t>(call.composite, "dim");
  return call.network.softmax(x, dim < 0 ? dim + x.rank() : dim);
}

Tensor gelu(const NativeCall& call) {
  const bool is_tanh = value_of<std::string>(call.composite, "approximate") == "tanh";
  return call.network.activation(is_tanh ? nv::Activation::kGeluTanh : nv::Activation::kGeluErf,
                                 call.operands[0], 0, 0);
}

// Scale and bias of the last dimensions, with ones in front.
Tensor layer_norm(const NativeCall& call) {
  const Tensor& x = call.operand("input");
  const auto& shape = value_of<Shape>(call.composite, "normalized_shape");
  const std::size_t first = x.shape.size() - shape.size();
  Shape spread(first, 1);
  spread.insert(spread.end(), shape.begin(), shape.end());
  NormalizationLayer layer;
  layer.epsilon = value_of<double>(call.composite, "eps");
  for (std::size_t i = first; i < x.shape.size(); ++i) layer.axes |= std::uint32_t{1} << i;
  return call.network.normalization(x, call.network.reshape(call.operand("weight"), spread),
                                    call.network.reshape(call.operand("bias"), spread), layer);
}

Tensor group_norm(const NativeCall& call) {
  const Tensor& x = call.operand("input");
  const Shape spread = {1, x.shape[1], 1, 1};
  NormalizationLayer layer;
  layer.epsilon = value_of<double>(call.composite, "eps");
  layer.groups = value_of<std::int64_t>(call.composite, "num_groups");
  layer.axes = 0b1100;
  return call.network.normalization(x, call.network.reshape(call.operand("weight"), spread),
                                    call.network.reshape(call.operand("bias"), spread), layer);
}

Tensor linear(const NativeCall& call) {
  const Tensor& x = call.operand("input");
  const Tensor& weight = call.operand("weight");
  Shape spread(x.shape.size() - 2, 1);
  spread.insert(spread.end(), weight.shape.begin(), weight.shape.end());
  const Tensor product =
      call.network.matrix_multiply(x, false, call.network.reshape(weight, spread), true);
  if (!call.has("bias")) return product;
  Shape last(x.shape.size(), 1);
  last.back() = weight.shape[0];
  return call.network.elementwise(nv::Elementwise::kSum, product,
                                  call.network.reshape(call.operand("bias"), last));
}

// TensorRT scales nothing, so that is done before.
Tensor attention(const NativeCall& call) {
  const Tensor& query = call.operand("query");
  double scale = 1 / std::sqrt(static_cast<double>(query.extent(-1)));
  if (call.has("scale")) scale = value_of<double>(call.composite, "scale");
  const Tensor factor = call.constants.scalar(call.network, query.type, 4, scale);
  const Tensor scaled = call.network.elementwise(nv::Elementwise::kProd, query, factor);
  const bool is_causal = value_of<bool>(call.composite, "is_causal");
  return call.network.attention({scaled, call.operand("key"), call.operand("value")},
                                is_causal ? nv::CausalMask::kUpperLeft : nv::CausalMask::kNone);
}

Tensor resize(const NativeCall& call) {
  ResizeLayer layer;
  layer.shape = call.shape();
  layer.mode = nv::Interpolation::kLinear;
  layer.coordinates = value_of<bool>(call.composite, "align_corners")
                          ? nv::Coordinates::kAlignCorners
                          : nv::Coordinates::kHalfPixel;
  return call.network.resize(call.operands[0], layer);
}

/// When TensorRT takes an operator, and as which layers.
struct Row {
  ir::Native native;
  Tensor (*write)(const NativeCall& call);
};

constexpr Row kRows[] = {
    {{"aten::softmax.int", takes_softmax}, softmax},
    {{"aten::gelu", takes_gelu}, gelu},
    {{"aten::layer_norm", takes_layer_norm}, layer_norm},
    {{"aten::group_norm", takes_group_norm}, group_norm},
    {{"aten::linear", takes_linear}, linear},
    {{"aten::scaled_dot_product_attention", takes_attention}, attention},
    {{"aten::upsample_bilinear2d", takes_resize}, resize},
    {{"aten::upsample_bilinear2d.vec", takes_resize}, resize},
};

const Row* row_of(const Composite& composite) {
  const auto* const row = std::find_if(std::begin(kRows), std::end(kRows), [&](const Row& each) {
    return each.native.op == composite.op;
  });
  return row == std::end(kRows) ? nullptr : row;
}

}  // namespace

bool is_native(const Composite& composite, const Tensors& operands) {
  const Row* const row = row_of(composite);
  return row != nullptr && row->native.takes(composite, operands);
}

Tensor write_native(Network& network, Constants& constants, const Composite& composite,
                    const Tensors& operands) {
  const Row* const row = row_of(composite);
  if (row == nullptr) throw lowering::LoweringError("TensorRT has no " + composite.op);
  return row->write({network, constants, composite, operands});
}

}  // namespace graphnet::tensorrt
