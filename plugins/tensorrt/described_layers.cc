// SPDX-License-Identifier: MIT
//
// DescribedNetwork's layers that combine many elements.
#include <algorithm>
#include <cmath>
#include <utility>

#include "tensorrt/described_network.h"
#include "tensorrt/types.h"

namespace graphnet::tensorrt {

using lowering::Binary;
using lowering::Comparison;
using lowering::counting;
using lowering::LoweringError;
using lowering::num_elements;
using lowering::Reduction;

namespace {

void require_floats(const Tensor& a, const Tensor& b, const char* layer) {
  require(a.type == b.type && lowering::is_float(a.type),
          std::string(layer) + " of " + lowering::describe(a.type, a.shape) + " with " +
              lowering::describe(b.type, b.shape));
}

void require_index(const Tensor& indices) {
  require(indices.type == Type::kI32 || indices.type == Type::kI64,
          std::string("indices of ") + lowering::type_name(indices.type));
}

lowering::Window still_window(const Tensor& x) {
  const Shape ones(x.shape.size(), 1);
  const Shape zeros(x.shape.size(), 0);
  return {ones, ones, ones, zeros, zeros};
}

/// Where the elements of a resized dimension come from: two old ones, and the share of the second.
struct Neighbours {
  std::vector<std::int64_t> first;
  std::vector<std::int64_t> second;
  std::vector<double> share;
};

Neighbours neighbours_of(std::int64_t in, std::int64_t out, nv::Coordinates coordinates) {
  Neighbours neighbours;
  for (std::int64_t i = 0; i < out; ++i) {
    const auto at = static_cast<double>(i);
    double source = (at + 0.5) * static_cast<double>(in) / static_cast<double>(out) - 0.5;
    if (coordinates == nv::Coordinates::kAlignCorners) {
      source = out > 1 ? at * static_cast<double>(in - 1) / static_cast<double>(out - 1) : 0;
    }
    source = std::clamp(source, 0.0, static_cast<double>(in - 1));
    const auto first = static_cast<std::int64_t>(source);
    neighbours.first.push_back(first);
    neighbours.second.push_back(std::min(first + 1, in - 1));
    neighbours.share.push_back(source - static_cast<double>(first));
  }
  return neighbours;
}

}  // namespace

Tensor DescribedNetwork::cumulative_sum(const Tensor& x, std::int64_t axis) {
  require(x.type != Type::kBool && is_computable(x.type), "addCumulative of bools");
  lowering::Window window = still_window(x);
  const auto i = static_cast<std::size_t>(axis);
  window.size[i] = x.shape[i];
  window.low[i] = x.shape[i] - 1;
  return b_.convert(out_.reduce_window(Reduction::kSum, wide(x), window), x.type);
}

Tensor DescribedNetwork::pooling(const Tensor& x, const PoolingLayer& layer) {
  const std::size_t count = layer.window.size();
  require((count == 2 || count == 3) && x.shape.size() == count + 2 && lowering::is_float(x.type),
          "addPoolingNd of " + lowering::describe(x.type, x.shape));
  lowering::Window window = still_window(x);
  for (std::size_t i = 0; i < count; ++i) {
    require(layer.pre[i] < layer.window[i] && layer.post[i] < layer.window[i],
            "addPoolingNd that pads more than its window");
    window.size[i + 2] = layer.window[i];
    window.stride[i + 2] = layer.stride[i];
    window.low[i + 2] = layer.pre[i];
    window.high[i + 2] = layer.post[i];
  }
  if (layer.kind == nv::Pooling::kMax) return out_.reduce_window(Reduction::kMax, x, window);
  const Tensor sum = out_.reduce_window(Reduction::kSum, wide(x), window);
  return b_.convert(b_.divide(sum, static_cast<double>(num_elements(layer.window))), x.type);
}

Tensor DescribedNetwork::matrix_multiply(const Tensor& a, bool a_is_turned, const Tensor& b,
                                         bool b_is_turned) {
  require_floats(a, b, "addMatrixMultiply");
  require(a.rank() == b.rank() && a.rank() > 1, "addMatrixMultiply of other ranks");
  const Tensor left = a_is_turned ? b_.swap(a, -1, -2) : a;
  const Tensor right = b_is_turned ? b_.swap(b, -1, -2) : b;
  require(left.extent(-1) == right.extent(-2), "addMatrixMultiply of other depths");
  return b_.convert(b_.matmul(left, right), a.type);
}

// [in, out / groups, spatial...] as [out, in / groups, spatial...], reversed.
Tensor DescribedNetwork::turned_kernel(const Tensor& kernel, std::int64_t groups) {
  Shape split = {groups, kernel.shape[0] / groups};
  split.insert(split.end(), kernel.shape.begin() + 1, kernel.shape.end());
  Shape order = counting(static_cast<std::int64_t>(split.size()));
  std::swap(order[1], order[2]);
  Shape merged = {groups * kernel.shape[1], kernel.shape[0] / groups};
  merged.insert(merged.end(), kernel.shape.begin() + 2, kernel.shape.end());
  Shape spatial = counting(kernel.rank() - 2);
  for (std::int64_t& dim : spatial) dim += 2;
  return out_.reverse(b_.reshape(out_.transpose(b_.reshape(kernel, split), order), merged),
                      spatial);
}

Tensor DescribedNetwork::convolution(const Tensor& x, const Tensor& kernel,
                                     const ConvolutionLayer& layer) {
  require_floats(x, kernel, "addConvolutionNd");
  const std::size_t count = layer.kernel.size();
  require(
      (count == 2 || count == 3) && x.shape.size() == count + 2 && kernel.shape.size() == count + 2,
      "addConvolutionNd of " + lowering::describe(x.type, x.shape));
  require(Shape(kernel.shape.begin() + 2, kernel.shape.end()) == layer.kernel,
          "addConvolutionNd with another kernel");
  const Shape ones(count, 1);
  lowering::ConvolutionAttributes a = {layer.stride, layer.pre,      layer.post,
                                       ones,         layer.dilation, layer.groups};
  if (!layer.is_transposed) return b_.convert(out_.convolution(x, kernel, a), x.type);
  a.stride = ones;
  a.input_dilation = layer.stride;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t reach = layer.dilation[i] * (layer.kernel[i] - 1);
    a.low[i] = reach - layer.pre[i];
    a.high[i] = reach - layer.post[i];
  }
  return b_.convert(out_.convolution(x, turned_kernel(kernel, layer.groups), a), x.type);
}

Tensor DescribedNetwork::gather(const Tensor& x, const Tensor& indices, std::int64_t axis) {
  require_index(indices);
  return b_.take(x, axis, indices);
}

Tensor DescribedNetwork::gather_nd(const Tensor& x, const Tensor& indices) {
  require_index(indices);
  return out_.gather(x, indices, counting(indices.shape.back()), 0);
}

Tensor DescribedNetwork::scatter_nd(const Tensor& x, const Tensor& indices, const Tensor& updates) {
  require_index(indices);
  require(updates.type == x.type && x.type != Type::kBool, "addScatter of bools, or of two types");
  return out_.scatter(x, indices, counting(indices.shape.back()), updates, std::nullopt);
}

Tensor DescribedNetwork::softmax(const Tensor& x, std::int64_t axis) {
  require_floats(x, x, "addSoftMax");
  return b_.convert(b_.softmax(wide(x), axis), x.type);
}

Tensor DescribedNetwork::normalization(const Tensor& x, const Tensor& scale, const Tensor& bias,
                                       const NormalizationLayer& layer) {
  require_floats(x, scale, "addNormalizationV2");
  require_floats(x, bias, "addNormalizationV2");
  require(scale.rank() == x.rank() && bias.rank() == x.rank(), "addNormalizationV2 of other ranks");
  Tensor y = wide(x);
  Shape dims;
  for (std::int64_t i = 0; i < x.rank(); ++i) {
    if ((layer.axes >> i & 1U) != 0) dims.push_back(i);
  }
  if (layer.groups > 1) {
    Shape split = {x.shape[0], layer.groups, x.shape[1] / layer.groups};
    split.insert(split.end(), x.shape.begin() + 2, x.shape.end());
    y = b_.reshape(y, split);
    dims = counting(y.rank());
    dims.erase(dims.begin(), dims.begin() + 2);
  }
  const Tensor centred = b_.subtract(y, b_.mean(y, dims, true));
  const Tensor variance = b_.mean(b_.multiply(centred, centred), dims, true);
  y = b_.multiply(centred, b_.unary(lowering::Unary::kRsqrt, b_.add(variance, layer.epsilon)));
  y = b_.reshape(y, x.shape);
  return b_.convert(b_.add(b_.multiply(y, wide(scale)), wide(bias)), x.type);
}

Tensor DescribedNetwork::resize(const Tensor& x, const ResizeLayer& layer) {
  require(lowering::is_float(x.type) && layer.mode == nv::Interpolation::kLinear, "this resize");
  Tensor y = wide(x);
  for (std::int64_t i = 0; i < x.rank(); ++i) {
    const std::int64_t out = layer.shape[static_cast<std::size_t>(i)];
    if (out == x.extent(i)) continue;
    const Neighbours from = neighbours_of(x.extent(i), out, layer.coordinates);
    const Tensor share = b_.convert(out_.constant(Type::kF64, {out}, from.share.data()), y.type);
    const Tensor low = b_.take(y, i, from.first);
    const Tensor weight = out_.broadcast(share, low.shape, {i});
    const Tensor rest = b_.subtract(b_.full(y.type, low.shape, 1), weight);
    y = b_.add(b_.multiply(low, rest), b_.multiply(b_.take(y, i, from.second), weight));
  }
  return b_.convert(y, x.type);
}

Tensor DescribedNetwork::attention(const std::vector<Tensor>& operands, nv::CausalMask causal) {
  require_floats(operands[0], operands[1], "addAttention");
  require_floats(operands[0], operands[2], "addAttention");
  require(operands[0].rank() == 4, "addAttention of other ranks");
  constexpr double kInfinity = HUGE_VAL;
  Tensor scores = b_.matmul(wide(operands[0]), b_.swap(wide(operands[1]), -1, -2));
  if (causal == nv::CausalMask::kUpperLeft) {
    const Tensor row = out_.iota(Type::kI32, scores.shape, 2);
    const Tensor column = out_.iota(Type::kI32, scores.shape, 3);
    scores = b_.select(b_.compare(Comparison::kLe, column, row), scores,
                       b_.full(scores.type, {}, -kInfinity));
  }
  return b_.convert(b_.matmul(b_.softmax(scores, 3), wide(operands[2])), operands[0].type);
}

}  // namespace graphnet::tensorrt
