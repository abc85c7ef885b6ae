// SPDX-License-Identifier: MIT
//
// Tensors made from numbers. Element types and shapes are those that eager recorded.
#include <cmath>
#include <cstdlib>
#include <vector>

#include "lowering/decompose.h"
#include "lowering/decompose/operands.h"

namespace graphnet::lowering::decomposition {

namespace {

Tensor filled(Call& call, double value) {
  return call.b.full(call.result_type(), call.result_shape(), value);
}

Tensor filled_with(Call& call, const char* argument) {
  return call.b.expand(operand(call, argument, call.result_type()), call.result_shape());
}

/// True where column - row >= diagonal (or <=), over the last two dimensions.
Tensor triangle(Builder& b, const Shape& shape, Comparison kind, double diagonal) {
  const auto rank = static_cast<std::int64_t>(shape.size());
  const Tensor row = b.emit.iota(Type::kI32, shape, rank - 2);
  const Tensor column = b.emit.iota(Type::kI32, shape, rank - 1);
  return b.compare(kind, column, b.add(row, diagonal));
}

Tensors keep_triangle(Call& call, Comparison kind) {
  const Tensor x = call.tensor("self");
  const Tensor kept = triangle(call.b, x.shape, kind, call.number("diagonal"));
  return {call.b.select(kept, x, call.b.full(x.type, x.shape, 0))};
}

Tensor from_doubles(Call& call, const std::vector<double>& values) {
  const Tensor constant =
      call.b.emit.constant(Type::kF64, {static_cast<std::int64_t>(values.size())}, values.data());
  return call.b.convert(constant, call.result_type());
}

}  // namespace

Tensors zeros(Call& call) {
  return {filled(call, 0)};
}
Tensors ones(Call& call) {
  return {filled(call, 1)};
}
Tensors full(Call& call) {
  return {filled_with(call, "fill_value")};
}
Tensors scalar_tensor(Call& call) {
  return {filled_with(call, "s")};
}

Tensors fill(Call& call) {
  return {filled_with(call, "value")};
}

// As ATen: start + i * step in double, or in int64 if everything is.
Tensors arange(Call& call) {
  const Shape shape = call.result_shape();
  const double start = call.has("start") ? call.number("start") : 0;
  const double step = call.has("step") ? call.number("step") : 1;
  if (call.result_type() == Type::kI64 || call.result_type() == Type::kI32) {
    Tensor index = call.b.emit.iota(call.result_type(), shape, 0);
    if (step != 1) index = call.b.multiply(index, step);
    return {start == 0 ? index : call.b.add(index, start)};
  }
  std::vector<double> values;
  for (std::int64_t i = 0; i < shape[0]; ++i)
    values.push_back(start + static_cast<double>(i) * step);
  return {from_doubles(call, values)};
}

// From both ends, in the result's precision, as ATen.
Tensors linspace(Call& call) {
  const std::int64_t steps = call.result_shape()[0];
  const auto start = static_cast<float>(call.number("start"));
  const auto end = static_cast<float>(call.number("end"));
  const float step = steps > 1 ? (end - start) / static_cast<float>(steps - 1) : 0;
  std::vector<double> values;
  for (std::int64_t i = 0; i < steps; ++i) {
    const float value = i < steps / 2 || steps == 1
                            ? start + step * static_cast<float>(i)
                            : end - step * static_cast<float>(steps - i - 1);
    values.push_back(static_cast<double>(value));
  }
  return {from_doubles(call, values)};
}

Tensors eye(Call& call) {
  const Shape shape = call.result_shape();
  return {call.b.convert(triangle(call.b, shape, Comparison::kEq, 0), call.result_type())};
}

Tensors triu(Call& call) {
  return keep_triangle(call, Comparison::kGe);
}
Tensors tril(Call& call) {
  return keep_triangle(call, Comparison::kLe);
}

Tensors meshgrid(Call& call) {
  const Tensors axes = call.tensors("tensors");
  const bool swapped = call.has("indexing") && call.text("indexing") == "xy" && axes.size() > 1;
  Shape shape;
  for (const Tensor& axis : axes) shape.push_back(num_elements(axis.shape));
  if (swapped) std::swap(shape[0], shape[1]);
  Tensors grids;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::size_t dim = i;
    if (swapped && i < 2) dim = 1 - i;
    const Tensor axis = call.b.reshape(axes[i], {num_elements(axes[i].shape)});
    grids.push_back(call.b.emit.broadcast(axis, shape, {static_cast<std::int64_t>(dim)}));
  }
  return grids;
}

Tensors one_hot(Call& call) {
  Builder& b = call.b;
  const Shape shape = call.result_shape();
  const auto rank = static_cast<std::int64_t>(shape.size());
  const Tensor index = call.tensor("self");
  const Tensor wanted = b.emit.broadcast(index, shape, counting(rank - 1));
  return {b.convert(b.compare(Comparison::kEq, wanted, b.emit.iota(index.type, shape, rank - 1)),
                    call.result_type())};
}

Tensors diag(Call& call) {
  Builder& b = call.b;
  const Tensor x = call.tensor("self");
  const std::int64_t diagonal = call.integer("diagonal");
  const Shape shape = call.result_shape();
  if (x.rank() == 1) {
    // Above the main diagonal an element stands in the row of its number, below in the column.
    const Tensor padded = b.pad(x, 0, {0}, {std::abs(diagonal)});
    const Tensor spread = b.emit.broadcast(padded, shape, {diagonal >= 0 ? 0 : 1});
    const auto offset = static_cast<double>(diagonal);
    return {
        b.select(triangle(b, shape, Comparison::kEq, offset), spread, b.full(x.type, shape, 0))};
  }
  const std::int64_t width = x.extent(1);
  const std::int64_t first = diagonal >= 0 ? diagonal : -diagonal * width;
  std::vector<std::int64_t> indices;
  for (std::int64_t i = 0; i < shape[0]; ++i) indices.push_back(first + i * (width + 1));
  return {b.take(b.reshape(x, {num_elements(x.shape)}), 0, indices)};
}

}  // namespace graphnet::lowering::decomposition
