// SPDX-License-Identifier: MIT
//
// Products in the forms that the schedule rules know: matrices with the right side in panels,
// channels-last convolutions.
#include <algorithm>

#include "lowering/builder.h"
#include "tvm_plugin/emitter.h"

namespace graphnet::tvm {

using lowering::Builder;
using lowering::ConvolutionAttributes;
using lowering::convolved_shape;
using lowering::counting;
using lowering::num_elements;

namespace {

std::int64_t round_up(std::int64_t value, std::int64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

std::int64_t product(const Shape& shape, const Shape& dims) {
  std::int64_t result = 1;
  for (const std::int64_t dim : dims) result *= shape[static_cast<std::size_t>(dim)];
  return result;
}

Shape free_dims(std::int64_t rank, const Shape& batch, const Shape& contracting) {
  Shape result;
  for (std::int64_t dim = 0; dim < rank; ++dim) {
    const auto is_in = [dim](const Shape& dims) {
      return std::find(dims.begin(), dims.end(), dim) != dims.end();
    };
    if (!is_in(batch) && !is_in(contracting)) result.push_back(dim);
  }
  return result;
}

Shape joined(const Shape& a, const Shape& b, const Shape& c) {
  Shape all = a;
  all.insert(all.end(), b.begin(), b.end());
  all.insert(all.end(), c.begin(), c.end());
  return all;
}

// n, c, spatial... as n, spatial..., c.
Shape channels_last(std::int64_t rank) {
  Shape permutation = {0};
  for (std::int64_t i = 2; i < rank; ++i) permutation.push_back(i);
  permutation.push_back(1);
  return permutation;
}

// Columns that one register tile spans: two vectors, or what there is.
std::int64_t panel_width(std::int64_t columns) {
  if (columns >= 2 * kLanes) return 2 * kLanes;
  return columns > kLanes / 2 ? kLanes : columns;
}

Tensor padded(Builder& b, const Tensor& x, const ConvolutionAttributes& a) {
  Shape low(x.shape.size(), 0);
  Shape high = low;
  Shape interior = low;
  for (std::size_t i = 0; i < a.low.size(); ++i) {
    low[i + 2] = a.low[i];
    high[i + 2] = a.high[i];
    interior[i + 2] = a.input_dilation[i] - 1;
  }
  return b.emit.pad(x, 0, low, high, interior);
}

}  // namespace

// [b, k, n] as [b, n / p, k, p], columns beyond n being 0: a tile of the product reads its part of
// the right side from front to back.
Tensor Emitter::panels(const Tensor& right, std::int64_t rows) {
  Builder b(*this);
  const std::int64_t columns = right.extent(2);
  // A single row has no reuse; more columns at once hide what each addition waits for.
  const std::int64_t width = rows < 4 && columns >= 4 * kLanes ? 4 * kLanes : panel_width(columns);
  const std::int64_t whole = round_up(columns, width);
  const Tensor wide = b.pad(right, 0, {0, 0, 0}, {0, 0, whole - columns});
  return transpose(b.reshape(wide, {right.extent(0), right.extent(1), whole / width, width}),
                   {0, 2, 1, 3});
}

Tensor Emitter::dot(const Tensor& a, const Tensor& b, const lowering::Contraction& contraction) {
  Builder build(*this);
  const Type type = lowering::compute_type(a.type);
  const Shape rows = free_dims(a.rank(), contraction.left_batch, contraction.left_contracting);
  const Shape columns = free_dims(b.rank(), contraction.right_batch, contraction.right_contracting);
  const std::int64_t batch = product(a.shape, contraction.left_batch);
  const std::int64_t m = product(a.shape, rows);
  const std::int64_t n = product(b.shape, columns);
  const std::int64_t k = product(a.shape, contraction.left_contracting);
  const Shape shape = joined(tvm::permuted(a.shape, contraction.left_batch),
                             tvm::permuted(a.shape, rows), tvm::permuted(b.shape, columns));
  if (num_elements(shape) == 0 || k == 0) return splat(type, shape, 0);
  const Tensor left = build.reshape(
      transpose(a, joined(contraction.left_batch, rows, contraction.left_contracting)),
      {batch, m, k});
  const Tensor right = build.reshape(
      transpose(b, joined(contraction.right_batch, contraction.right_contracting, columns)),
      {batch, k, n});
  Node node = {NodeKind::kDot, 0, type, {batch, m, n}, {left.id, right.id}};
  if (rewrites_ && lowering::is_float(a.type) && n > 1) {
    node.operands[1] = panels(right, m).id;
    node.first = {n};
  }
  return build.reshape(add(std::move(node)), shape);
}

Tensor Emitter::convolution(const Tensor& x, const Tensor& kernel,
                            const ConvolutionAttributes& attributes) {
  const Shape shape = convolved_shape(x, kernel, attributes);
  if (num_elements(shape) == 0) return splat(x.type, shape, 0);
  const Shape ones(attributes.stride.size(), 1);
  const bool is_plain = attributes.groups == 1 && attributes.stride == ones &&
                        attributes.input_dilation == ones &&
                        std::all_of(attributes.low.begin(), attributes.low.end(),
                                    [](std::int64_t each) { return each == 0; }) &&
                        std::all_of(attributes.high.begin(), attributes.high.end(),
                                    [](std::int64_t each) { return each == 0; });
  if (is_plain && num_elements(kernel.shape) == kernel.shape[0] * kernel.shape[1]) {
    return pointwise_convolution(x, kernel);
  }
  return direct_convolution(x, kernel, attributes);
}

// One tap is a matrix product over all positions.
Tensor Emitter::pointwise_convolution(const Tensor& x, const Tensor& kernel) {
  Builder b(*this);
  const Shape layout = channels_last(x.rank());
  const Tensor rows = transpose(x, layout);
  const Tensor matrix = b.reshape(kernel, {kernel.shape[0], kernel.shape[1]});
  return transpose(dot(rows, matrix, {{}, {}, {x.rank() - 1}, {1}}), inverse(layout));
}

// [co, ci / groups, spatial...] as [co / p, spatial..., ci / groups, p], or [spatial..., c] if
// every channel is convolved alone. A panel never spans two groups.
Tensor Emitter::kernel_panels(const Tensor& kernel, std::int64_t groups) {
  Builder b(*this);
  const std::int64_t rank = kernel.rank();
  const std::int64_t out = kernel.shape[0];
  Shape taps;
  for (std::int64_t i = 2; i < rank; ++i) taps.push_back(i);
  if (groups > 1 && kernel.shape[1] == 1) {
    Shape order = taps;
    order.push_back(0);
    Shape flat = {out};
    flat.insert(flat.end(), kernel.shape.begin() + 2, kernel.shape.end());
    for (std::int64_t& dim : order) dim = dim == 0 ? 0 : dim - 1;
    return transpose(b.reshape(kernel, flat), order);
  }
  std::int64_t width = panel_width(out);
  std::int64_t whole = round_up(out, width);
  if (groups > 1) {
    width = std::min(2 * kLanes, out / groups);
    if ((out / groups) % width != 0 && (out / groups) % kLanes == 0) width = kLanes;
    while ((out / groups) % width != 0) --width;
    whole = out;
  }
  Shape high(kernel.shape.size(), 0);
  high[0] = whole - out;
  const Tensor wide = b.pad(kernel, 0, Shape(high.size(), 0), high);
  Shape split = {whole / width, width};
  split.insert(split.end(), kernel.shape.begin() + 1, kernel.shape.end());
  Shape order = {0};
  for (const std::int64_t tap : taps) order.push_back(tap + 1);
  order.insert(order.end(), {2, 1});
  return transpose(b.reshape(wide, split), order);
}

Tensor Emitter::direct_convolution(const Tensor& x, const Tensor& kernel,
                                   const ConvolutionAttributes& attributes) {
  Builder b(*this);
  const Shape layout = channels_last(x.rank());
  const Tensor source = transpose(padded(b, x, attributes), layout);
  Node node = {NodeKind::kConvolution,
               0,
               lowering::compute_type(x.type),
               tvm::permuted(convolved_shape(x, kernel, attributes), layout),
               {source.id, kernel_panels(kernel, attributes.groups).id}};
  node.convolution = attributes;
  node.first = {kernel.shape[0]};
  return transpose(add(std::move(node)), inverse(layout));
}

}  // namespace graphnet::tvm
