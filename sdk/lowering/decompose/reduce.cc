// SPDX-License-Identifier: MIT
#include <cmath>
#include <limits>

#include "lowering/decompose.h"
#include "lowering/decompose/operands.h"

namespace graphnet::lowering::decomposition {

namespace {

bool keeps(Call& call) {
  return call.has("keepdim") && call.flag("keepdim");
}

Shape dims_of(Call& call, const Tensor& x) {
  return normal_dims(call.has("dim") ? call.integers("dim") : Shape(), x.rank());
}

Tensor summand(Call& call) {
  return call.b.convert(call.tensor("self"), compute_type(call.result_type()));
}

Tensors reduce(Call& call, Reduction kind, const Tensor& x) {
  return {finish(call, call.b.reduce(kind, x, dims_of(call, x), keeps(call)))};
}

// Values and indices along one dimension.
Tensors extremes(Call& call, bool largest) {
  Builder& b = call.b;
  const Tensor x = call.tensor("self");
  if (x.rank() == 0) return {x, b.full(Type::kI64, {}, 0)};
  const std::int64_t dim = call.dim("dim", x.rank());
  const auto [value, index] = b.emit.reduce_index(largest, x, dim);
  const Shape shape = keeps(call) ? with_ones(x.shape, {dim}) : value.shape;
  return {b.reshape(value, shape), b.reshape(index, shape)};
}

Tensors extreme_index(Call& call, bool largest) {
  Builder& b = call.b;
  Tensor x = call.tensor("self");
  if (x.rank() == 0) return {b.full(Type::kI64, {}, 0)};
  const bool is_flat = !call.has("dim");
  const std::int64_t dim = is_flat ? 0 : call.dim("dim", x.rank());
  if (is_flat) x = b.reshape(x, {num_elements(x.shape)});
  return {b.reshape(b.emit.reduce_index(largest, x, dim).second, call.result_shape())};
}

}  // namespace

Tensors sum(Call& call) {
  return reduce(call, Reduction::kSum, summand(call));
}
Tensors prod(Call& call) {
  return reduce(call, Reduction::kProduct, summand(call));
}
Tensors amax(Call& call) {
  return reduce(call, Reduction::kMax, call.tensor("self"));
}
Tensors amin(Call& call) {
  return reduce(call, Reduction::kMin, call.tensor("self"));
}
Tensors all(Call& call) {
  return reduce(call, Reduction::kAnd, call.b.convert(call.tensor("self"), Type::kBool));
}
Tensors any(Call& call) {
  return reduce(call, Reduction::kOr, call.b.convert(call.tensor("self"), Type::kBool));
}

Tensors mean(Call& call) {
  const Tensor x = summand(call);
  return {finish(call, call.b.mean(x, dims_of(call, x), keeps(call)))};
}

Tensors max_dim(Call& call) {
  return extremes(call, true);
}
Tensors min_dim(Call& call) {
  return extremes(call, false);
}
Tensors argmax(Call& call) {
  return extreme_index(call, true);
}
Tensors argmin(Call& call) {
  return extreme_index(call, false);
}

Tensors cumsum(Call& call) {
  const Tensor x = summand(call);
  if (x.rank() == 0 || num_elements(x.shape) == 0) return {finish(call, x)};
  const auto dim = static_cast<std::size_t>(call.dim("dim", x.rank()));
  const Shape ones(x.shape.size(), 1);
  Window window = {ones, ones, ones, Shape(x.shape.size(), 0), Shape(x.shape.size(), 0)};
  window.size[dim] = x.shape[dim];
  window.low[dim] = x.shape[dim] - 1;
  return {finish(call, call.b.emit.reduce_window(Reduction::kSum, x, window))};
}

Tensors var(Call& call) {
  Builder& b = call.b;
  const Tensor x = summand(call);
  const Shape dims = dims_of(call, x);
  double count = 1;
  for (const std::int64_t dim : dims) count *= static_cast<double>(x.extent(dim));
  const Tensor centred = b.subtract(x, b.mean(x, dims, true));
  const Tensor squares = b.reduce(Reduction::kSum, b.multiply(centred, centred), dims, keeps(call));
  return {finish(call, b.divide(squares, std::max(0.0, count - call.number("correction", 1))))};
}

Tensors vector_norm(Call& call) {
  Builder& b = call.b;
  const Tensor x = summand(call);
  const Shape dims = dims_of(call, x);
  const double order = call.number("ord", 2);
  const bool keep = keeps(call);
  if (call.op() == "aten::linalg_norm" && call.has("ord") && dims.size() == 2) {
    throw LoweringError("matrix norm");
  }
  const Tensor size = b.unary(Unary::kAbs, x);
  if (std::isinf(order)) {
    const Reduction kind = order > 0 ? Reduction::kMax : Reduction::kMin;
    return {finish(call, b.reduce(kind, size, dims, keep))};
  }
  if (order == 1) return {finish(call, b.reduce(Reduction::kSum, size, dims, keep))};
  if (order == 0) {
    const Tensor counted = b.convert(b.compare(Comparison::kNe, x, 0), x.type);
    return {finish(call, b.reduce(Reduction::kSum, counted, dims, keep))};
  }
  if (order != 2) {
    const Tensor powers = b.binary(Binary::kPower, size, order);
    const Tensor sum = b.reduce(Reduction::kSum, powers, dims, keep);
    return {finish(call, b.binary(Binary::kPower, sum, 1 / order))};
  }
  const Tensor squares = b.reduce(Reduction::kSum, b.multiply(x, x), dims, keep);
  return {finish(call, b.unary(Unary::kSqrt, squares))};
}

}  // namespace graphnet::lowering::decomposition
