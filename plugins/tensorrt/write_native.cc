// SPDX-License-Identifier: MIT
#include "tensorrt/write_native.h"

#include <cmath>
#include <variant>

#include "lowering/ir/composite.h"

namespace graphnet::tensorrt {

namespace ir = lowering::ir;

using ir::Composite;
using ir::value_of;
using lowering::LoweringError;

namespace {

/// An operator with its operands, and where its layers go.
struct Native {
  Network& network;
  Constants& constants;
  const Composite& composite;
  const std::vector<Tensor>& operands;

  bool has(std::string_view name) const {
    return !std::holds_alternative<std::monostate>(ir::argument_of(composite, name).value);
  }
  const Tensor& operand(std::string_view name) const {
    return operands[static_cast<std::size_t>(value_of<ir::Operand>(composite, name).position)];
  }
  const Shape& shape() const { return composite.results[0].shape; }
};

Tensor softmax(const Native& call) {
  const Tensor& x = call.operands[0];
  const auto dim = value_of<std::int64_t>(call.composite, "dim");
  return call.network.softmax(x, dim < 0 ? dim + x.rank() : dim);
}

Tensor gelu(const Native& call) {
  const bool is_tanh = value_of<std::string>(call.composite, "approximate") == "tanh";
  return call.network.activation(is_tanh ? nv::Activation::kGeluTanh : nv::Activation::kGeluErf,
                                 call.operands[0], 0, 0);
}

// Scale and bias of the last dimensions, with ones in front.
Tensor layer_norm(const Native& call) {
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

Tensor group_norm(const Native& call) {
  const Tensor& x = call.operand("input");
  const Shape spread = {1, x.shape[1], 1, 1};
  NormalizationLayer layer;
  layer.epsilon = value_of<double>(call.composite, "eps");
  layer.groups = value_of<std::int64_t>(call.composite, "num_groups");
  layer.axes = 0b1100;
  return call.network.normalization(x, call.network.reshape(call.operand("weight"), spread),
                                    call.network.reshape(call.operand("bias"), spread), layer);
}

Tensor linear(const Native& call) {
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
Tensor attention(const Native& call) {
  const Tensor& query = call.operand("query");
  double scale = 1 / std::sqrt(static_cast<double>(query.extent(-1)));
  if (call.has("scale")) scale = value_of<double>(call.composite, "scale");
  const Tensor factor = call.constants.scalar(call.network, query.type, 4, scale);
  const Tensor scaled = call.network.elementwise(nv::Elementwise::kProd, query, factor);
  AttentionLayer layer;
  if (value_of<bool>(call.composite, "is_causal")) layer.causal = nv::CausalMask::kUpperLeft;
  return call.network.attention({scaled, call.operand("key"), call.operand("value")}, layer);
}

Tensor resize(const Native& call) {
  ResizeLayer layer;
  layer.shape = call.shape();
  layer.mode = nv::Interpolation::kLinear;
  layer.coordinates = value_of<bool>(call.composite, "align_corners")
                          ? nv::Coordinates::kAlignCorners
                          : nv::Coordinates::kHalfPixel;
  return call.network.resize(call.operands[0], layer);
}

struct Row {
  std::string_view op;
  Tensor (*write)(const Native& call);
};

constexpr Row kRows[] = {
    {"aten::softmax.int", softmax},
    {"aten::gelu", gelu},
    {"aten::layer_norm", layer_norm},
    {"aten::group_norm", group_norm},
    {"aten::linear", linear},
    {"aten::scaled_dot_product_attention", attention},
    {"aten::upsample_bilinear2d", resize},
    {"aten::upsample_bilinear2d.vec", resize},
};

}  // namespace

Tensor write_native(Network& network, Constants& constants, const Composite& composite,
                    const std::vector<Tensor>& operands) {
  for (const Row& row : kRows) {
    if (row.op == composite.op) return row.write({network, constants, composite, operands});
  }
  throw LoweringError("TensorRT has no " + composite.op);
}

}  // namespace graphnet::tensorrt
