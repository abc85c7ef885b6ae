// SPDX-License-Identifier: MIT
#include <algorithm>

#include "lowering/decompose.h"
#include "lowering/decompose/operands.h"

namespace graphnet::lowering::decomposition {

namespace {

/// A pooling window over the last dimensions, and where its values come from.
struct Pooling {
  Shape kernel;
  Shape stride;
  Shape padding;
  Shape dilation;
  Shape in;
  Shape out;
};

// In the operator's name: "...pool2d".
std::size_t num_spatial(const Call& call) {
  const std::string_view op = call.op();
  return static_cast<std::size_t>(op[op.rfind('d') - 1] - '0');
}

Pooling pooling_of(Call& call, const Tensor& x) {
  Pooling p;
  const std::size_t count = num_spatial(call);
  p.kernel = call.integers("kernel_size", count);
  p.stride = call.integers("stride");
  p.stride = p.stride.empty() ? p.kernel : call.integers("stride", count);
  p.padding = call.integers("padding", count);
  p.dilation = call.has("dilation") ? call.integers("dilation", count) : Shape(count, 1);
  p.in.assign(x.shape.end() - static_cast<std::ptrdiff_t>(count), x.shape.end());
  const Shape result = call.result_shape();
  p.out.assign(result.end() - static_cast<std::ptrdiff_t>(count), result.end());
  return p;
}

// Windows of a ceiling division reach beyond the padding; those positions count as padding too.
Window window_of(const Pooling& p, const Tensor& x) {
  const Shape ones(x.shape.size(), 1);
  Window window = {ones, ones, ones, Shape(x.shape.size(), 0), Shape(x.shape.size(), 0)};
  const std::size_t base = x.shape.size() - p.kernel.size();
  for (std::size_t i = 0; i < p.kernel.size(); ++i) {
    // One window over everything needs no padding, however much larger it is.
    if (p.out[i] == 1 && p.dilation[i] == 1 && p.kernel[i] - p.padding[i] >= p.in[i]) {
      window.size[base + i] = p.in[i];
      continue;
    }
    window.size[base + i] = p.kernel[i];
    window.stride[base + i] = p.stride[i];
    window.dilation[base + i] = p.dilation[i];
    window.low[base + i] = p.padding[i];
    const std::int64_t reach = (p.out[i] - 1) * p.stride[i] + p.dilation[i] * (p.kernel[i] - 1) + 1;
    window.high[base + i] = reach - p.in[i] - p.padding[i];
  }
  return window;
}

// How many positions of one dimension each window averages over.
std::vector<double> divisors(const Pooling& p, std::size_t i, bool count_padding) {
  std::vector<double> result;
  for (std::int64_t o = 0; o < p.out[i]; ++o) {
    std::int64_t begin = o * p.stride[i] - p.padding[i];
    std::int64_t end = std::min(begin + p.kernel[i], p.in[i] + p.padding[i]);
    if (!count_padding) {
      begin = std::max<std::int64_t>(begin, 0);
      end = std::min(end, p.in[i]);
    }
    result.push_back(static_cast<double>(end - begin));
  }
  return result;
}

bool is_constant(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(),
                     [&](double value) { return value == values.front(); });
}

// Adaptive windows of one dimension: [floor(i in / out), ceil((i + 1) in / out)).
std::vector<double> averaging_matrix(std::int64_t in, std::int64_t out) {
  std::vector<double> matrix(static_cast<std::size_t>(in * out), 0.0);
  for (std::int64_t o = 0; o < out; ++o) {
    const std::int64_t begin = o * in / out;
    const std::int64_t end = ((o + 1) * in + out - 1) / out;
    for (std::int64_t i = begin; i < end; ++i) {
      matrix[static_cast<std::size_t>(o * in + i)] = 1.0 / static_cast<double>(end - begin);
    }
  }
  return matrix;
}

// Non-overlapping windows of equal size as a reshape: the windows' elements get dimensions of their
// own, which are `reduced`.
Tensor split_windows(Builder& b, const Tensor& x, const Shape& out, Shape& reduced) {
  const std::size_t base = x.shape.size() - out.size();
  Shape split(x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(base));
  for (std::size_t i = 0; i < out.size(); ++i) {
    split.push_back(out[i]);
    reduced.push_back(static_cast<std::int64_t>(split.size()));
    split.push_back(x.shape[base + i] / out[i]);
  }
  return b.reshape(x, split);
}

bool divides(const Tensor& x, const Shape& out) {
  const std::size_t base = x.shape.size() - out.size();
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (x.shape[base + i] % out[i] != 0) return false;
  }
  return true;
}

// Adaptive windows of unequal size, one slice each.
Tensor max_by_window(Builder& b, Tensor x, const Shape& out) {
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto dim = static_cast<std::int64_t>(x.shape.size() - out.size() + i);
    const std::int64_t in = x.extent(dim);
    Tensors windows;
    for (std::int64_t o = 0; o < out[i]; ++o) {
      const Tensor window = b.slice(x, dim, o * in / out[i], ((o + 1) * in + out[i] - 1) / out[i]);
      windows.push_back(b.reduce(Reduction::kMax, window, {dim}, true));
    }
    x = windows.size() == 1 ? windows[0] : b.emit.concatenate(windows, dim);
  }
  return x;
}

Shape adaptive_size(Call& call) {
  const auto count = static_cast<std::ptrdiff_t>(num_spatial(call));
  const Shape result = call.result_shape();
  return {result.end() - count, result.end()};
}

}  // namespace

Tensors max_pool(Call& call) {
  const Tensor x = call.tensor("self");
  const Pooling p = pooling_of(call, x);
  return {call.b.emit.reduce_window(Reduction::kMax, x, window_of(p, x))};
}

Tensors avg_pool(Call& call) {
  Builder& b = call.b;
  const Tensor x = b.convert(call.tensor("self"), compute_type(call.result_type()));
  const Pooling p = pooling_of(call, x);
  Tensor sum = b.emit.reduce_window(Reduction::kSum, x, window_of(p, x));
  if (call.has("divisor_override")) {
    return {finish(call, b.divide(sum, call.number("divisor_override")))};
  }
  const bool count_padding = call.flag("count_include_pad");
  double constant = 1;
  for (std::size_t i = 0; i < p.kernel.size(); ++i) {
    const std::vector<double> counts = divisors(p, i, count_padding);
    if (is_constant(counts)) {
      constant *= counts.front();
      continue;
    }
    const auto dim = static_cast<std::int64_t>(sum.shape.size() - p.kernel.size() + i);
    const Tensor table =
        b.convert(b.emit.constant(Type::kF64, {p.out[i]}, counts.data()), sum.type);
    sum = b.divide(sum, b.emit.broadcast(table, sum.shape, {dim}));
  }
  return {finish(call, constant == 1 ? sum : b.divide(sum, constant))};
}

Tensors adaptive_avg_pool(Call& call) {
  Builder& b = call.b;
  Tensor x = b.convert(call.tensor("self"), compute_type(call.result_type()));
  const Shape out = adaptive_size(call);
  if (divides(x, out)) {
    Shape reduced;
    const Tensor split = split_windows(b, x, out, reduced);
    return {finish(call, b.reshape(b.mean(split, reduced, false), call.result_shape()))};
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    const auto dim = static_cast<std::int64_t>(x.shape.size() - out.size() + i);
    if (x.extent(dim) == out[i]) continue;
    x = b.apply_matrix(x, dim, averaging_matrix(x.extent(dim), out[i]), out[i]);
  }
  return {finish(call, x)};
}

Tensors adaptive_max_pool(Call& call) {
  const Tensor x = call.tensor("self");
  const Shape out = adaptive_size(call);
  if (call.is_read(1)) throw LoweringError("indices of adaptive max pooling");
  if (!divides(x, out)) return {max_by_window(call.b, x, out)};
  Shape reduced;
  const Tensor split = split_windows(call.b, x, out, reduced);
  const Tensor pooled = call.b.reduce(Reduction::kMax, split, reduced, false);
  return {call.b.reshape(pooled, call.result_shape())};
}

}  // namespace graphnet::lowering::decomposition
