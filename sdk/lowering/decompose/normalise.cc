// SPDX-License-Identifier: MIT
#include "lowering/decompose.h"
#include "lowering/decompose/operands.h"

namespace graphnet::lowering::decomposition {

namespace {

Tensor wide(Call& call, const char* name) {
  return call.b.convert(call.tensor(name), compute_type(call.tensor(name).type));
}

// Along dimension 1 of x.
Tensor per_channel(Builder& b, const Tensor& values, const Tensor& x) {
  return b.emit.broadcast(values, x.shape, {1});
}

// (x - mean) / sqrt(variance + eps) over `dims`, which must not be empty.
Tensor standardise(Builder& b, const Tensor& x, const Shape& dims, double eps) {
  const Tensor centred = b.subtract(x, b.mean(x, dims, true));
  const Tensor variance = b.mean(b.multiply(centred, centred), dims, true);
  return b.multiply(centred, b.unary(Unary::kRsqrt, b.add(variance, eps)));
}

// The last dimensions, as many as "normalized_shape" has.
Shape normalised_dims(Call& call, const Tensor& x) {
  const auto count = static_cast<std::int64_t>(call.integers("normalized_shape").size());
  Shape dims = counting(x.rank());
  dims.erase(dims.begin(), dims.end() - count);
  return dims;
}

// x * weight + bias, either of which may be missing; both along dimension 1.
Tensor affine_channels(Call& call, Tensor x) {
  Builder& b = call.b;
  if (call.has("weight")) {
    x = b.multiply(x, per_channel(b, b.convert(call.tensor("weight"), x.type), x));
  }
  if (call.has("bias")) x = b.add(x, per_channel(b, b.convert(call.tensor("bias"), x.type), x));
  return x;
}

/// y = x * scale + shift of a batch norm with known statistics.
struct ScaleShift {
  Tensor scale;
  Tensor shift;
};

ScaleShift scale_shift(Call& call, Type type) {
  Builder& b = call.b;
  const Tensor mean = b.convert(call.tensor("running_mean"), type);
  const Tensor variance = b.convert(call.tensor("running_var"), type);
  Tensor scale = b.unary(Unary::kRsqrt, b.add(variance, call.number("eps")));
  if (call.has("weight")) scale = b.multiply(b.convert(call.tensor("weight"), type), scale);
  Tensor shift = b.unary(Unary::kNegate, b.multiply(mean, scale));
  if (call.has("bias")) shift = b.add(b.convert(call.tensor("bias"), type), shift);
  return {scale, shift};
}

// The convolution in front with its kernel scaled: no pass over the image is left.
std::optional<Tensor> fold(Call& call, const ScaleShift& norm) {
  Builder& b = call.b;
  if (!b.emit.rewrites()) return std::nullopt;
  const std::optional<OpenConvolution> open = call.open_convolution("input");
  if (!open || !b.emit.is_bound(open->kernel) || !b.emit.is_bound(norm.scale)) return std::nullopt;
  const Tensor kernel =
      b.multiply(open->kernel, b.emit.broadcast(norm.scale, open->kernel.shape, {0}));
  Tensor shift = norm.shift;
  if (open->bias) shift = b.add(shift, b.multiply(*open->bias, norm.scale));
  const Tensor product = b.emit.convolution(open->x, kernel, open->attributes);
  return b.add(product, per_channel(b, shift, product));
}

Tensor with_statistics(Call& call, const Tensor& x) {
  Builder& b = call.b;
  const ScaleShift norm = scale_shift(call, x.type);
  if (const auto folded = fold(call, norm)) return *folded;
  const Tensor scaled = b.multiply(x, per_channel(b, norm.scale, x));
  return b.add(scaled, per_channel(b, norm.shift, x));
}

}  // namespace

Tensors batch_norm(Call& call) {
  Builder& b = call.b;
  const Tensor x = wide(call, "input");
  if (call.flag("training") || !call.has("running_mean")) {
    Shape dims = counting(x.rank());
    dims.erase(dims.begin() + 1);
    return {finish(call, affine_channels(call, standardise(b, x, dims, call.number("eps"))))};
  }
  return {finish(call, with_statistics(call, x))};
}

Tensors instance_norm(Call& call) {
  Builder& b = call.b;
  const Tensor x = wide(call, "input");
  if (!call.flag("use_input_stats")) return {finish(call, with_statistics(call, x))};
  Shape dims = counting(x.rank());
  dims.erase(dims.begin(), dims.begin() + 2);
  return {finish(call, affine_channels(call, standardise(b, x, dims, call.number("eps"))))};
}

Tensors group_norm(Call& call) {
  Builder& b = call.b;
  const Tensor x = wide(call, "input");
  const std::int64_t groups = call.integer("num_groups");
  // Without splitting the channels where that is not needed: compilers keep their layout then.
  if (groups == 1 || (groups == x.shape[1] && x.rank() > 2)) {
    Shape whole = counting(x.rank());
    whole.erase(whole.begin(), whole.begin() + (groups == 1 ? 1 : 2));
    return {finish(call, affine_channels(call, standardise(b, x, whole, call.number("eps"))))};
  }
  Shape split = {x.shape[0], groups, x.shape[1] / groups};
  split.insert(split.end(), x.shape.begin() + 2, x.shape.end());
  Shape dims = counting(static_cast<std::int64_t>(split.size()));
  dims.erase(dims.begin(), dims.begin() + 2);
  const Tensor normal = standardise(b, b.reshape(x, split), dims, call.number("eps"));
  return {finish(call, affine_channels(call, b.reshape(normal, x.shape)))};
}

Tensors layer_norm(Call& call) {
  Builder& b = call.b;
  const Tensor x = wide(call, "input");
  const Shape dims = normalised_dims(call, x);
  Tensor normal = standardise(b, x, dims, call.number("eps"));
  if (call.has("weight")) normal = b.multiply(normal, wide(call, "weight"));
  if (call.has("bias")) normal = b.add(normal, wide(call, "bias"));
  return {finish(call, normal)};
}

Tensors rms_norm(Call& call) {
  Builder& b = call.b;
  const Tensor x = wide(call, "input");
  const Shape dims = normalised_dims(call, x);
  // Without eps: the smallest difference from 1 of the input's type.
  const Type type = call.tensor("input").type;
  double eps = type == Type::kF64 ? 0x1p-52 : 0x1p-23;
  if (type == Type::kF16) eps = 0x1p-10;
  if (type == Type::kBF16) eps = 0x1p-7;
  const Tensor square = b.mean(b.multiply(x, x), dims, true);
  const Tensor factor = b.unary(Unary::kRsqrt, b.add(square, call.number("eps", eps)));
  Tensor normal = b.multiply(x, factor);
  if (call.has("weight")) normal = b.multiply(normal, wide(call, "weight"));
  return {finish(call, normal)};
}

Tensors weight_norm(Call& call) {
  Builder& b = call.b;
  const Tensor v = wide(call, "v");
  Shape dims = counting(v.rank());
  const std::int64_t kept = call.integer("dim");
  if (kept != -1) dims.erase(dims.begin() + (kept < 0 ? kept + v.rank() : kept));
  const Tensor norm =
      b.unary(Unary::kSqrt, b.reduce(Reduction::kSum, b.multiply(v, v), dims, true));
  return {finish(call, b.multiply(v, b.divide(wide(call, "g"), norm)))};
}

}  // namespace graphnet::lowering::decomposition
