// SPDX-License-Identifier: MIT
#include "lowering/decompose.h"
#include "lowering/decompose/operands.h"

namespace graphnet::lowering::decomposition {

namespace {

// The input in the type of the arithmetic.
Tensor input(Call& call, const char* name = "self") {
  return call.b.convert(call.tensor(name), compute_type(call.result_type()));
}

Tensor shifted_clamp(Builder& b, const Tensor& x) {
  return b.clamp(b.add(x, 3), 0, 6);
}

}  // namespace

Tensors relu(Call& call) {
  const Tensor x = call.tensor("self");
  return {call.b.binary(Binary::kMaximum, x, 0)};
}

Tensors relu6(Call& call) {
  return {call.b.clamp(call.tensor("self"), 0, 6)};
}

Tensors hardtanh(Call& call) {
  return {call.b.clamp(call.tensor("self"), call.number("min_val"), call.number("max_val"))};
}

Tensors sigmoid(Call& call) {
  return {finish(call, call.b.sigmoid(input(call)))};
}

Tensors silu(Call& call) {
  const Tensor x = input(call);
  return {finish(call, call.b.multiply(x, call.b.sigmoid(x)))};
}

Tensors hardsigmoid(Call& call) {
  return {finish(call, call.b.divide(shifted_clamp(call.b, input(call)), 6))};
}

Tensors hardswish(Call& call) {
  const Tensor x = input(call);
  return {finish(call, call.b.divide(call.b.multiply(x, shifted_clamp(call.b, x)), 6))};
}

Tensors leaky_relu(Call& call) {
  Builder& b = call.b;
  const Tensor x = input(call);
  const Tensor scaled = b.multiply(x, call.number("negative_slope"));
  return {finish(call, b.select(b.compare(Comparison::kGt, x, 0), x, scaled))};
}

Tensors prelu(Call& call) {
  Builder& b = call.b;
  const Tensor x = input(call);
  Tensor weight = input(call, "weight");
  if (weight.rank() == 1 && x.rank() >= 2) weight = b.emit.broadcast(weight, x.shape, {1});
  return {finish(call, b.select(b.compare(Comparison::kGt, x, 0), x, b.multiply(x, weight)))};
}

Tensors elu(Call& call) {
  Builder& b = call.b;
  const Tensor x = input(call);
  const double scale = call.number("scale");
  // The unused side of the select must not overflow to inf * 0.
  const Tensor low = b.binary(Binary::kMinimum, x, 0);
  const Tensor curved =
      b.multiply(b.unary(Unary::kExpm1, b.multiply(low, call.number("input_scale"))),
                 call.number("alpha") * scale);
  return {finish(call, b.select(b.compare(Comparison::kGt, x, 0), b.multiply(x, scale), curved))};
}

Tensors gelu(Call& call) {
  Builder& b = call.b;
  const Tensor x = input(call);
  Tensor weight;
  if (call.text("approximate") == "tanh") {
    const Tensor cube = b.multiply(b.multiply(b.multiply(x, x), x), 0.044715);
    weight = b.unary(Unary::kTanh, b.multiply(b.add(x, cube), 0.7978845608028654));
  } else {
    weight = b.unary(Unary::kErf, b.multiply(x, 0.7071067811865476));
  }
  return {finish(call, b.multiply(b.multiply(x, 0.5), b.add(weight, 1)))};
}

Tensors glu(Call& call) {
  Builder& b = call.b;
  const Tensor x = input(call);
  const std::int64_t dim = call.dim("dim", x.rank());
  const std::int64_t half = x.extent(dim) / 2;
  const Tensor gate = b.sigmoid(b.slice(x, dim, half, 2 * half));
  return {finish(call, b.multiply(b.slice(x, dim, 0, half), gate))};
}

Tensors softplus(Call& call) {
  Builder& b = call.b;
  const Tensor x = input(call);
  const double beta = call.number("beta");
  const Tensor scaled = b.multiply(x, beta);
  const Tensor curved = b.divide(b.unary(Unary::kLog1p, b.unary(Unary::kExp, scaled)), beta);
  const Tensor is_linear = b.compare(Comparison::kGt, scaled, call.number("threshold"));
  return {finish(call, b.select(is_linear, x, curved))};
}

Tensors softmax(Call& call) {
  const Tensor x = input(call);
  if (x.rank() == 0) return {finish(call, call.b.full(x.type, {}, 1))};
  return {finish(call, call.b.softmax(x, call.dim("dim", x.rank())))};
}

}  // namespace graphnet::lowering::decomposition
