// SPDX-License-Identifier: MIT
//
// NetworkWriter's products, windows, and operators that TensorRT has whole.
#include <algorithm>

#include "lowering/builder.h"
#include "tensorrt/legalize.h"
#include "tensorrt/natives.h"
#include "tensorrt/network_writer.h"

namespace graphnet::tensorrt {

using lowering::counting;
using lowering::extents_of;
using lowering::joined;
using lowering::LoweringError;
using lowering::num_elements;
using lowering::Reduction;

namespace {

bool are_all(const Shape& values, std::int64_t value) {
  return std::all_of(values.begin(), values.end(),
                     [&](std::int64_t each) { return each == value; });
}

}  // namespace

Tensor NetworkWriter::operator()(const ir::ReduceWindow& each) {
  const Tensor x = whole(0);
  const std::int64_t dim = running_sum_dim(each.kind, each.window, x.shape);
  if (dim >= 0) return network_.cumulative_sum(x, dim);
  return pooled(x, each.kind, each.window);
}

// What the window spans comes last; of all other dimensions, two are made.
Tensor NetworkWriter::pooled(const Tensor& x, Reduction kind, const lowering::Window& window) {
  Shape spanned = windowed_dims(window);
  const Shape others = lowering::without_dims(counting(x.rank()), spanned);
  const Shape order = joined(others, spanned);
  const Shape inner = extents_of(x.shape, spanned);
  PoolingLayer layer;
  layer.kind = kind == Reduction::kSum ? nv::Pooling::kAverage : nv::Pooling::kMax;
  layer.window = extents_of(window.size, spanned);
  layer.stride = extents_of(window.stride, spanned);
  layer.pre = extents_of(window.low, spanned);
  layer.post = extents_of(window.high, spanned);
  Shape image = inner;
  if (spanned.size() == 1) {
    image.insert(image.begin(), 1);
    layer.window.insert(layer.window.begin(), 1);
    layer.stride.insert(layer.stride.begin(), 1);
    layer.pre.insert(layer.pre.begin(), 0);
    layer.post.insert(layer.post.begin(), 0);
  }
  const Shape outer = extents_of(x.shape, others);
  const std::int64_t channels = outer.empty() ? 1 : outer.back();
  Shape flat = {num_elements(outer) / channels, channels};
  flat = joined(flat, image);
  Tensor result = network_.pooling(reshaped(transposed(x, order), flat), layer);
  if (layer.kind == nv::Pooling::kAverage) {
    // An average over the whole window, padding included, times its positions.
    const auto count = static_cast<double>(num_elements(layer.window));
    result = network_.elementwise(nv::Elementwise::kProd, result, scalar_like(result, count));
  }
  const Shape shape = joined(outer, extents_of(out().shape, spanned));
  return ordered_back(reshaped(result, shape), order);
}

// The sorted dimension may be cut: nobody reads the rest.
Tensor NetworkWriter::operator()(const ir::Sort& each) {
  const std::int64_t most =
      std::max(most_read(node_->results[0], each.dim), most_read(node_->results[1], each.dim));
  if (most > kMostTopK) {
    throw LoweringError("TensorRT sorts at most " + std::to_string(kMostTopK) +
                        " elements, here are " + std::to_string(most));
  }
  Tensor x = whole(0);
  const Shape shape = x.shape;
  const bool is_line = x.rank() == 1;
  if (is_line) x = network_.reshape(x, {1, shape[0]});
  const auto kind = each.descending ? nv::TopK::kMax : nv::TopK::kMin;
  auto [values, places] = network_.top_k(kind, x, most, is_line ? 1 : each.dim);
  if (is_line) {
    values = network_.reshape(values, {most});
    places = network_.reshape(places, {most});
  }
  held(node_->results[1]).tensor = places;
  return values;
}

NetworkWriter::Side NetworkWriter::side_of(Tensor x, const Shape& batch, const Shape& contracting,
                                           bool depth_first) {
  const Shape free = lowering::without_dims(counting(x.rank()), joined(batch, contracting));
  const Shape rows_first = joined(joined(batch, free), contracting);
  const Shape depth_in_front = joined(joined(batch, contracting), free);
  const auto is_in_order = [](const Shape& order) {
    return std::is_sorted(order.begin(), order.end());
  };
  // Either order is as good: what needs no transposition, else what the product has naturally.
  const bool takes_depth_first =
      is_in_order(depth_in_front) || (depth_first && !is_in_order(rows_first));
  const Shape& order = takes_depth_first ? depth_in_front : rows_first;
  const std::int64_t rows = num_elements(extents_of(x.shape, free));
  const std::int64_t depth = num_elements(extents_of(x.shape, contracting));
  Shape shape = extents_of(x.shape, batch);
  shape = joined(shape, takes_depth_first ? Shape{depth, rows} : Shape{rows, depth});
  x = reshaped(transposed(x, order), shape);
  return {x, takes_depth_first};
}

// Products of half types are float32 in the graph. Those of bfloat16 that are rounded at once,
// TensorRT rounds. Those of float16 keep their casts, which it fuses into kernels that add in
// float32, as eager does; a product of float16 tensors may add in float16.
Tensor NetworkWriter::operator()(const ir::Dot& each) {
  const lowering::Contraction& c = each.contraction;
  const Type type = in(0).type;
  const bool is_rounded = type == Type::kBF16 && is_read_as(node_->results[0], type);
  const bool is_wide = lowering::is_half(type) && !is_rounded;
  Tensor a = whole(0);
  Tensor b = whole(1);
  if (is_wide) {
    a = network_.cast(a, Type::kF32);
    b = network_.cast(b, Type::kF32);
  }
  const Side left = side_of(a, c.left_batch, c.left_contracting, false);
  const Side right = side_of(b, c.right_batch, c.right_contracting, true);
  const Tensor product =
      network_.matrix_multiply(left.tensor, left.is_turned, right.tensor, !right.is_turned);
  return reshaped(product, out().shape);
}

// The graph's kernel is that of a convolution over spread elements: reversed, and with its channels
// exchanged within each group.
std::optional<ir::ValueId> NetworkWriter::turned_weight(ir::ValueId kernel,
                                                        std::int64_t groups) const {
  const Shape& shape = graph_.type(kernel).shape;
  Shape spatial = counting(static_cast<std::int64_t>(shape.size()) - 2);
  for (std::int64_t& dim : spatial) dim += 2;
  const auto* reverse = std::get_if<ir::Reverse>(&graph_.maker(kernel).operation);
  if (reverse == nullptr || reverse->dims != spatial) return std::nullopt;
  ir::ValueId id = graph_.maker(kernel).operands[0];
  const auto skip_reshape = [&] {
    if (std::holds_alternative<ir::Reshape>(graph_.maker(id).operation)) {
      id = graph_.maker(id).operands[0];
    }
  };
  skip_reshape();
  const auto* turn = std::get_if<ir::Transpose>(&graph_.maker(id).operation);
  if (turn == nullptr) return std::nullopt;
  Shape expected = counting(static_cast<std::int64_t>(turn->permutation.size()));
  const std::size_t first = turn->permutation.size() - shape.size();
  if (first > 1) return std::nullopt;
  std::swap(expected[first], expected[first + 1]);
  if (turn->permutation != expected) return std::nullopt;
  id = graph_.maker(id).operands[0];
  skip_reshape();
  Shape weight = {shape[1] * groups, shape[0] / groups};
  weight.insert(weight.end(), shape.begin() + 2, shape.end());
  if (graph_.type(id).shape != weight || !graph_.type(id).rank()) return std::nullopt;
  return id;
}

// step - 1 zeros between elements of the spatial dimensions.
Tensor NetworkWriter::spread(Tensor x, const Shape& step) {
  const Shape before = x.shape;
  Shape split = {before[0], before[1]};
  Shape filled = split;
  Shape merged = split;
  Shape kept = split;
  for (std::size_t i = 0; i < step.size(); ++i) {
    split.insert(split.end(), {before[i + 2], 1});
    filled.insert(filled.end(), {before[i + 2], step[i]});
    merged.push_back(before[i + 2] * step[i]);
    kept.push_back((before[i + 2] - 1) * step[i] + 1);
  }
  const Tensor zero = constants().scalar(network_, x.type, 0, 0);
  x = network_.slice_filled(network_.reshape(x, split), Shape(split.size(), 0), filled, zero);
  return network_.slice(network_.reshape(x, merged), Shape(kept.size(), 0), kept,
                        Shape(kept.size(), 1));
}

Tensor NetworkWriter::operator()(const ir::Convolution& each) {
  lowering::ConvolutionAttributes window = each.window;
  Tensor x = whole(0);
  Shape kernel = in(1).shape;
  ConvolutionLayer layer;
  layer.groups = window.groups;
  layer.out = kernel[0];
  const std::optional<ir::ValueId> weight =
      are_all(window.stride, 1) && are_all(window.kernel_dilation, 1)
          ? turned_weight(node_->operands[1], window.groups)
          : std::nullopt;
  const bool is_spread = !are_all(window.input_dilation, 1);
  layer.is_transposed = is_spread && weight.has_value();
  ir::ValueId kernel_id = node_->operands[1];
  if (layer.is_transposed) {
    // What the graph pads is what a transposed convolution does not cut.
    kernel_id = *weight;
    kernel = graph_.type(*weight).shape;
    window.stride = window.input_dilation;
    for (std::size_t i = 0; i < window.low.size(); ++i) {
      window.low[i] = kernel[i + 2] - 1 - window.low[i];
      window.high[i] = kernel[i + 2] - 1 - window.high[i];
      layer.is_transposed = layer.is_transposed && window.low[i] >= 0 && window.high[i] >= 0;
    }
  }
  if (is_spread && !layer.is_transposed) {
    window = each.window;
    kernel_id = node_->operands[1];
    kernel = in(1).shape;
    x = spread(x, window.input_dilation);
  }
  layer.kernel = Shape(kernel.begin() + 2, kernel.end());
  layer.stride = window.stride;
  layer.pre = window.low;
  layer.post = window.high;
  layer.dilation = window.kernel_dilation;
  // Images of one dimension have one row.
  if (x.rank() == 3) {
    x = network_.reshape(x, {x.shape[0], x.shape[1], 1, x.shape[2]});
    kernel.insert(kernel.begin() + 2, 1);
    for (Shape* list : {&layer.kernel, &layer.stride, &layer.dilation})
      list->insert(list->begin(), 1);
    for (Shape* list : {&layer.pre, &layer.post}) list->insert(list->begin(), 0);
  }
  const Tensor made = network_.convolution(x, reshaped_value(kernel_id, kernel), layer);
  return reshaped(made, out().shape);
}

Tensor NetworkWriter::operator()(const ir::Composite& each) {
  std::vector<Tensor> operands;
  for (std::size_t i = 0; i < node_->operands.size(); ++i) operands.push_back(whole(i));
  return write_native(network_, constants(), each, operands);
}

}  // namespace graphnet::tensorrt
