// SPDX-License-Identifier: MIT
#include "lowering/builder.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

namespace graphnet::lowering {

namespace {

std::string shape_text(const Shape& shape) {
  std::string text = "[";
  for (std::size_t i = 0; i < shape.size(); ++i) {
    text += (i == 0 ? "" : ",") + std::to_string(shape[i]);
  }
  return text + "]";
}

bool contains(const Shape& dims, std::int64_t dim) {
  return std::find(dims.begin(), dims.end(), dim) != dims.end();
}

}  // namespace

Shape broadcast_shape(const Shape& a, const Shape& b) {
  const Shape& longer = a.size() >= b.size() ? a : b;
  const Shape& shorter = a.size() >= b.size() ? b : a;
  Shape result = longer;
  const std::size_t offset = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    std::int64_t& extent = result[offset + i];
    if (extent == shorter[i] || shorter[i] == 1) continue;
    if (extent != 1) {
      throw LoweringError("shapes " + shape_text(a) + " and " + shape_text(b) +
                          " do not broadcast");
    }
    extent = shorter[i];
  }
  return result;
}

Shape convolved_shape(const Tensor& x, const Tensor& kernel, const ConvolutionAttributes& a) {
  Shape shape = {x.shape[0], kernel.shape[0]};
  for (std::size_t i = 0; i < a.stride.size(); ++i) {
    const std::int64_t in = (x.shape[i + 2] - 1) * a.input_dilation[i] + 1 + a.low[i] + a.high[i];
    const std::int64_t reach = a.kernel_dilation[i] * (kernel.shape[i + 2] - 1) + 1;
    shape.push_back((in - reach) / a.stride[i] + 1);
  }
  return shape;
}

Shape without_dims(const Shape& shape, const Shape& dims) {
  Shape result;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (!contains(dims, static_cast<std::int64_t>(i))) result.push_back(shape[i]);
  }
  return result;
}

Shape with_ones(const Shape& shape, const Shape& dims) {
  Shape result = shape;
  for (const std::int64_t dim : dims) result[static_cast<std::size_t>(dim)] = 1;
  return result;
}

double identity_of(Reduction kind, Type type) {
  const bool is_unsigned = type == Type::kBool || type == Type::kU8;
  const double half = std::ldexp(1.0, static_cast<int>(8 * bytes_of(type) - 1));
  switch (kind) {
    case Reduction::kSum:
    case Reduction::kOr:
      return 0;
    case Reduction::kProduct:
    case Reduction::kAnd:
      return 1;
    case Reduction::kMin:
      if (is_float(type)) return std::numeric_limits<double>::infinity();
      return type == Type::kBool ? 1 : (is_unsigned ? 2 * half - 1 : half - 1);
    case Reduction::kMax:
    case Reduction::kMaxNumber:
      break;
  }
  if (is_float(type)) return -std::numeric_limits<double>::infinity();
  return is_unsigned ? 0 : -half;
}

Shape into_layout(const Shape& logical, const Shape& layout) {
  if (layout.empty()) return logical;
  Shape memory;
  for (const std::int64_t dim : layout) memory.push_back(logical[static_cast<std::size_t>(dim)]);
  return memory;
}

Shape out_of_layout(const Shape& memory, const Shape& layout) {
  if (layout.empty()) return memory;
  Shape logical(memory.size());
  for (std::size_t i = 0; i < memory.size(); ++i) {
    logical[static_cast<std::size_t>(layout[i])] = memory[i];
  }
  return logical;
}

Shape counting(std::int64_t count) {
  Shape dims(static_cast<std::size_t>(count));
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}

Shape joined(Shape first, const Shape& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

Shape extents_of(const Shape& shape, const Shape& dims) {
  Shape extents;
  for (const std::int64_t dim : dims) extents.push_back(shape[static_cast<std::size_t>(dim)]);
  return extents;
}

Shape normal_dims(const Shape& dims, std::int64_t rank) {
  if (dims.empty() || rank == 0) return counting(rank);
  Shape result;
  for (const std::int64_t dim : dims) result.push_back(dim < 0 ? dim + rank : dim);
  std::sort(result.begin(), result.end());
  return result;
}

Tensor Builder::expand(const Tensor& x, const Shape& shape) {
  if (x.shape == shape) return x;
  const std::size_t offset = shape.size() - x.shape.size();
  Shape dims = counting(x.rank());
  for (std::int64_t& dim : dims) dim += static_cast<std::int64_t>(offset);
  return emit.broadcast(x, shape, dims);
}

Tensor Builder::convert(const Tensor& x, Type type) {
  return x.type == type ? x : emit.convert(x, type);
}

Tensor Builder::reshape(const Tensor& x, const Shape& shape) {
  return x.shape == shape ? x : emit.reshape(x, shape);
}

Tensor Builder::binary(Binary kind, const Tensor& a, const Tensor& b) {
  const Shape shape = broadcast_shape(a.shape, b.shape);
  return emit.binary(kind, expand(a, shape), expand(b, shape));
}

Tensor Builder::binary(Binary kind, const Tensor& a, double b) {
  return emit.binary(kind, a, full(a.type, a.shape, b));
}

Tensor Builder::compare(Comparison kind, const Tensor& a, const Tensor& b) {
  const Shape shape = broadcast_shape(a.shape, b.shape);
  return emit.compare(kind, expand(a, shape), expand(b, shape));
}

Tensor Builder::compare(Comparison kind, const Tensor& a, double b) {
  return emit.compare(kind, a, full(a.type, a.shape, b));
}

Tensor Builder::select(const Tensor& condition, const Tensor& yes, const Tensor& no) {
  const Shape shape = broadcast_shape(condition.shape, broadcast_shape(yes.shape, no.shape));
  return emit.select(expand(condition, shape), expand(yes, shape), expand(no, shape));
}

Tensor Builder::clamp(const Tensor& x, double low, double high) {
  return binary(Binary::kMinimum, binary(Binary::kMaximum, x, low), high);
}

Tensor Builder::truncate(const Tensor& x) {
  return select(compare(Comparison::kLt, x, 0), unary(Unary::kCeil, x), unary(Unary::kFloor, x));
}

Tensor Builder::reduce(Reduction kind, const Tensor& x, const Shape& dims, bool keep) {
  const Shape normal = normal_dims(dims, x.rank());
  const Tensor reduced = x.rank() == 0 ? x : emit.reduce(kind, x, normal);
  return keep ? reshape(reduced, with_ones(x.shape, normal)) : reduced;
}

Tensor Builder::mean(const Tensor& x, const Shape& dims, bool keep) {
  std::int64_t count = 1;
  for (const std::int64_t dim : normal_dims(dims, x.rank())) count *= x.extent(dim);
  return divide(reduce(Reduction::kSum, x, dims, keep), static_cast<double>(count));
}

Tensor Builder::softmax(const Tensor& x, std::int64_t dim) {
  // A NaN reaches the sum in any case, so the maximum may lose it.
  const Tensor largest = reduce(Reduction::kMaxNumber, x, {dim}, true);
  const Tensor exponentials = unary(Unary::kExp, subtract(x, largest));
  return divide(exponentials, reduce(Reduction::kSum, exponentials, {dim}, true));
}

Tensor Builder::matmul(const Tensor& a, const Tensor& b) {
  if (a.rank() == 1 && b.rank() == 1) return emit.dot(a, b, {{}, {}, {0}, {0}});
  if (b.rank() <= 2) return emit.dot(a, b, {{}, {}, {a.rank() - 1}, {0}});
  const Tensor left = a.rank() == 1 ? reshape(a, {1, a.extent(0)}) : a;
  const Shape left_batch(left.shape.begin(), left.shape.end() - 2);
  const Shape right_batch(b.shape.begin(), b.shape.end() - 2);
  const Shape batch = broadcast_shape(left_batch, right_batch);
  const auto with_batch = [&](const Tensor& x) {
    Shape shape = batch;
    shape.insert(shape.end(), x.shape.end() - 2, x.shape.end());
    return expand(x, shape);
  };
  const auto count = static_cast<std::int64_t>(batch.size());
  const Shape dims = counting(count);
  const Tensor product =
      emit.dot(with_batch(left), with_batch(b), {dims, dims, {count + 1}, {count}});
  if (a.rank() != 1) return product;
  return reshape(product, without_dims(product.shape, {count}));
}

Tensor Builder::linear(const Tensor& x, const Tensor& weight) {
  return emit.dot(x, weight, {{}, {}, {x.rank() - 1}, {weight.rank() - 1}});
}

Tensor Builder::slice(const Tensor& x, std::int64_t dim, std::int64_t begin, std::int64_t end,
                      std::int64_t step) {
  if (begin == 0 && end == x.extent(dim) && step == 1) return x;
  Shape first(x.shape.size(), 0);
  Shape last = x.shape;
  Shape steps(x.shape.size(), 1);
  first[static_cast<std::size_t>(dim)] = begin;
  last[static_cast<std::size_t>(dim)] = end;
  steps[static_cast<std::size_t>(dim)] = step;
  return emit.slice(x, first, last, steps);
}

Tensor Builder::pad(const Tensor& x, double value, const Shape& low, const Shape& high) {
  return emit.pad(x, value, low, high, Shape(x.shape.size(), 0));
}

Tensor Builder::padded(const Tensor& x, const ConvolutionAttributes& attributes) {
  Shape low(x.shape.size(), 0);
  Shape high = low;
  Shape interior = low;
  for (std::size_t i = 0; i < attributes.low.size(); ++i) {
    low[i + 2] = attributes.low[i];
    high[i + 2] = attributes.high[i];
    interior[i + 2] = attributes.input_dilation[i] - 1;
  }
  return emit.pad(x, 0, low, high, interior);
}

Tensor Builder::wrap_indices(const Tensor& indices, std::int64_t extent) {
  return select(compare(Comparison::kLt, indices, 0), add(indices, static_cast<double>(extent)),
                indices);
}

Tensor Builder::take(const Tensor& x, std::int64_t dim, const Tensor& indices, bool wrap) {
  const Tensor wrapped = wrap ? wrap_indices(indices, x.extent(dim)) : indices;
  Shape with_coordinate = wrapped.shape;
  with_coordinate.push_back(1);
  return emit.gather(x, reshape(wrapped, with_coordinate), {dim}, dim);
}

Tensor Builder::take(const Tensor& x, std::int64_t dim, const std::vector<std::int64_t>& indices) {
  const auto count = static_cast<std::int64_t>(indices.size());
  return take(x, dim, emit.constant(Type::kI64, {count}, indices.data()));
}

Tensor Builder::apply_matrix(const Tensor& x, std::int64_t dim, const std::vector<double>& matrix,
                             std::int64_t out) {
  const std::int64_t in = x.extent(dim);
  Tensor constant = emit.constant(Type::kF64, {out, in}, matrix.data());
  constant = convert(constant, x.type);
  const Tensor product = emit.dot(x, constant, {{}, {}, {dim}, {1}});
  // The new extent is last; put it where the old one was.
  Shape permutation = counting(x.rank() - 1);
  permutation.insert(permutation.begin() + dim, x.rank() - 1);
  return emit.transpose(product, permutation);
}

Tensor Builder::swap(const Tensor& x, std::int64_t dim, std::int64_t other) {
  if (x.rank() == 0) return x;
  Shape permutation = counting(x.rank());
  std::swap(permutation[static_cast<std::size_t>(dim < 0 ? dim + x.rank() : dim)],
            permutation[static_cast<std::size_t>(other < 0 ? other + x.rank() : other)]);
  return emit.transpose(x, permutation);
}

}  // namespace graphnet::lowering
