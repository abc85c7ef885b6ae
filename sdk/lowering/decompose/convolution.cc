// SPDX-License-Identifier: MIT
#include <algorithm>

#include "lowering/decompose.h"
#include "lowering/decompose/operands.h"

namespace graphnet::lowering::decomposition {

namespace {

Tensor operand_of(Call& call, const char* name) {
  return call.b.convert(call.tensor(name), compute_type(call.result_type()));
}

// Without a batch dimension ATen adds one and takes it away.
Tensor batched(Call& call, std::int64_t rank) {
  const Tensor x = operand_of(call, "input");
  if (x.rank() == rank) return x;
  Shape shape = x.shape;
  shape.insert(shape.begin(), 1);
  return call.b.reshape(x, shape);
}

std::optional<Tensor> bias_of(Call& call) {
  if (!call.has("bias")) return std::nullopt;
  return operand_of(call, "bias");
}

Tensor add_bias(Builder& b, const Tensor& x, const std::optional<Tensor>& bias) {
  return bias ? b.add(x, b.emit.broadcast(*bias, x.shape, {1})) : x;
}

// "same" puts the odd one behind.
void set_padding(Call& call, const Tensor& kernel, ConvolutionAttributes& a) {
  const std::size_t count = a.stride.size();
  if (call.op().find(".padding") == std::string_view::npos) {
    a.low = call.integers("padding", count);
    a.high = a.low;
    return;
  }
  const bool is_same = call.text("padding") == "same";
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t total = is_same ? a.kernel_dilation[i] * (kernel.shape[i + 2] - 1) : 0;
    a.low.push_back(total / 2);
    a.high.push_back(total - total / 2);
  }
}

/// Attributes of a transposed convolution.
struct Transposed {
  Shape stride;
  Shape dilation;
  Shape padding;
  Shape extra;  ///< output padding
  std::int64_t groups = 1;
};

Transposed transposed_of(Call& call, const Tensor& weight) {
  const std::size_t count = weight.shape.size() - 2;
  return {call.integers("stride", count), call.integers("dilation", count),
          call.integers("padding", count), call.integers("output_padding", count),
          call.integer("groups")};
}

// [in, out / groups, spatial...] as the kernel of an ordinary convolution.
Tensor turned_kernel(Builder& b, const Tensor& weight, std::int64_t groups) {
  Shape split = {groups, weight.shape[0] / groups};
  split.insert(split.end(), weight.shape.begin() + 1, weight.shape.end());
  Shape order = counting(static_cast<std::int64_t>(split.size()));
  std::swap(order[1], order[2]);
  Shape merged = {groups * weight.shape[1], weight.shape[0] / groups};
  merged.insert(merged.end(), weight.shape.begin() + 2, weight.shape.end());
  const Tensor kernel = b.reshape(b.emit.transpose(b.reshape(weight, split), order), merged);
  Shape spatial = counting(weight.rank() - 2);
  for (std::int64_t& dim : spatial) dim += 2;
  return b.emit.reverse(kernel, spatial);
}

// One convolution over the input with stride - 1 zeros between its elements. With n elements of
// input and k taps, and reach = dilation * (k - 1) from the first tap to the last, the result has
//   (n - 1) * stride + 1 + reach - 2 * padding + extra
// elements, as ATen defines it: the padding here is reach - padding on both sides, and extra
// behind.
Tensor convolve_spread(Builder& b, const Tensor& x, const Tensor& kernel, const Transposed& t) {
  ConvolutionAttributes a;
  a.groups = t.groups;
  a.stride.assign(t.stride.size(), 1);
  a.input_dilation = t.stride;
  a.kernel_dilation = t.dilation;
  for (std::size_t i = 0; i < t.stride.size(); ++i) {
    const std::int64_t reach = t.dilation[i] * (kernel.shape[i + 2] - 1);
    if (t.padding[i] > reach) {
      throw LoweringError("transposed convolution padded beyond its kernel");
    }
    a.low.push_back(reach - t.padding[i]);
    a.high.push_back(reach - t.padding[i] + t.extra[i]);
  }
  return b.emit.convolution(x, kernel, a);
}

// Output positions of one phase: those that leave `phase` when divided by the stride. Tap j of k
// adds input i to position i * stride + j, so position q * stride + phase is the sum of
//   x[q - m] * tap[phase + m * stride]   for 0 <= m < taken = ceil((k - phase) / stride)
// a small convolution without zeros, over taken - 1 elements before x. All phases are given the
// n + most - 1 positions of phase 0, which has most = ceil(k / stride) taps, by most - 1 behind x.
Tensor convolve_phase(Builder& b, const Tensor& x, const Tensor& kernel, const Transposed& t,
                      const Shape& phase) {
  ConvolutionAttributes a;
  const std::size_t count = t.stride.size();
  a.groups = t.groups;
  a.stride.assign(count, 1);
  a.input_dilation.assign(count, 1);
  a.kernel_dilation.assign(count, 1);
  Tensor taps = kernel;
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t size = kernel.shape[i + 2];
    const std::int64_t most = (size + t.stride[i] - 1) / t.stride[i];
    const std::int64_t taken = (size - phase[i] + t.stride[i] - 1) / t.stride[i];
    a.low.push_back(taken - 1);
    a.high.push_back(most - 1);
    // The kernel is turned round: tap j is its element k - 1 - j.
    const std::int64_t last = size - 1 - phase[i];
    const std::int64_t first = last - (taken - 1) * t.stride[i];
    taps = b.slice(taps, static_cast<std::int64_t>(i + 2), first, last + 1, t.stride[i]);
  }
  return b.emit.convolution(x, taps, a);
}

// Puts the phases of dimension `dim` side by side and on.
Tensor interleave(Builder& b, const Tensors& phases, std::int64_t dim) {
  Shape spread = phases[0].shape;
  spread.insert(spread.begin() + dim + 1, 1);
  Tensors parts;
  for (const Tensor& phase : phases) parts.push_back(b.reshape(phase, spread));
  Shape merged = phases[0].shape;
  merged[static_cast<std::size_t>(dim)] *= static_cast<std::int64_t>(phases.size());
  return b.reshape(b.emit.concatenate(parts, dim + 1), merged);
}

// All phases of the dimensions from `dim` on.
Tensor interleaved_phases(Builder& b, const Tensor& x, const Tensor& kernel, const Transposed& t,
                          Shape phase) {
  if (phase.size() == t.stride.size()) return convolve_phase(b, x, kernel, t, phase);
  const std::size_t axis = phase.size();
  Tensors phases;
  phase.push_back(0);
  for (std::int64_t each = 0; each < t.stride[axis]; ++each) {
    phase.back() = each;
    phases.push_back(interleaved_phases(b, x, kernel, t, phase));
  }
  return interleave(b, phases, static_cast<std::int64_t>(axis + 2));
}

bool has_tap_in_each_phase(const Tensor& kernel, const Transposed& t) {
  for (std::size_t i = 0; i < t.stride.size(); ++i) {
    if (kernel.shape[i + 2] < t.stride[i]) return false;
  }
  return true;
}

Tensor convolve_phases(Builder& b, const Tensor& x, const Tensor& kernel, const Transposed& t,
                       const Shape& out) {
  if (!has_tap_in_each_phase(kernel, t)) return convolve_spread(b, x, kernel, t);
  Tensor whole = interleaved_phases(b, x, kernel, t, {});
  Shape high(whole.shape.size(), 0);
  for (std::size_t i = 0; i < t.stride.size(); ++i) {
    const auto dim = static_cast<std::int64_t>(i + 2);
    const std::int64_t end = t.padding[i] + out[i + 2];
    high[i + 2] = std::max<std::int64_t>(end - whole.extent(dim), 0);
    whole = b.slice(whole, dim, t.padding[i], std::min(end, whole.extent(dim)));
  }
  return b.pad(whole, 0, Shape(high.size(), 0), high);
}

/// Slices of x [n, c, spatial...], one for each tap of a window over the last two dimensions.
struct Taps {
  Shape kernel;
  Shape dilation;
  Shape padding;
  Shape stride;

  /// Positions of the window, whose first tap and last are reach apart, along a padded extent.
  std::int64_t num_positions(std::size_t i, std::int64_t padded) const {
    const std::int64_t reach = dilation[i] * (kernel[i] - 1);
    return (padded - reach - 1) / stride[i] + 1;
  }
};

Taps taps_of(Call& call) {
  return {call.integers("kernel_size", 2), call.integers("dilation", 2),
          call.integers("padding", 2), call.integers("stride", 2)};
}

}  // namespace

Tensors convolution(Call& call) {
  const Tensor kernel = operand_of(call, "weight");
  const std::size_t count = kernel.shape.size() - 2;
  const Tensor x = batched(call, kernel.rank());
  ConvolutionAttributes a;
  a.stride = call.integers("stride", count);
  a.kernel_dilation = call.integers("dilation", count);
  a.input_dilation.assign(count, 1);
  a.groups = call.integer("groups");
  set_padding(call, kernel, a);
  const std::optional<Tensor> bias = bias_of(call);
  const Tensor product = add_bias(call.b, call.b.emit.convolution(x, kernel, a), bias);
  if (x.shape == call.tensor("input").shape && product.type == call.result_type()) {
    call.set_open_convolution({x, kernel, bias, a});
  }
  return {finish(call, call.b.reshape(product, call.result_shape()))};
}

// The gradient's form: the input spread by the stride, the kernel turned round.
Tensors conv_transpose(Call& call) {
  Builder& b = call.b;
  const Tensor weight = operand_of(call, "weight");
  const Tensor x = batched(call, weight.rank());
  const Transposed t = transposed_of(call, weight);
  const Tensor kernel = turned_kernel(b, weight, t.groups);
  const bool is_split = b.emit.rewrites() && t.stride != Shape(t.stride.size(), 1) &&
                        t.dilation == Shape(t.dilation.size(), 1);
  Shape out = call.result_shape();
  if (out.size() < x.shape.size()) out.insert(out.begin(), 1);
  Tensor product =
      is_split ? convolve_phases(b, x, kernel, t, out) : convolve_spread(b, x, kernel, t);
  product = add_bias(b, product, bias_of(call));
  return {finish(call, b.reshape(product, call.result_shape()))};
}

Tensors im2col(Call& call) {
  Builder& b = call.b;
  const Taps taps = taps_of(call);
  Tensor x = call.tensor("self");
  if (x.rank() == 3) x = b.reshape(x, {1, x.shape[0], x.shape[1], x.shape[2]});
  const Shape pads = {0, 0, taps.padding[0], taps.padding[1]};
  x = b.pad(x, 0, pads, pads);
  Shape out;
  for (std::size_t i = 0; i < 2; ++i) out.push_back(taps.num_positions(i, x.shape[i + 2]));
  Tensors columns;
  for (std::int64_t i = 0; i < taps.kernel[0]; ++i) {
    for (std::int64_t j = 0; j < taps.kernel[1]; ++j) {
      const std::int64_t top = i * taps.dilation[0];
      const std::int64_t left = j * taps.dilation[1];
      Tensor tap = b.slice(x, 2, top, top + (out[0] - 1) * taps.stride[0] + 1, taps.stride[0]);
      tap = b.slice(tap, 3, left, left + (out[1] - 1) * taps.stride[1] + 1, taps.stride[1]);
      columns.push_back(b.reshape(tap, {x.shape[0], x.shape[1], 1, out[0] * out[1]}));
    }
  }
  const Tensor joined = columns.size() == 1 ? columns[0] : b.emit.concatenate(columns, 2);
  return {b.reshape(joined, call.result_shape())};
}

// Each tap's values spread over the padded image, added up.
Tensors col2im(Call& call) {
  Builder& b = call.b;
  const Taps taps = taps_of(call);
  const Shape size = call.integers("output_size", 2);
  const Tensor x = operand_of(call, "self");
  const std::int64_t num_taps = taps.kernel[0] * taps.kernel[1];
  const std::int64_t batch = x.rank() == 3 ? x.shape[0] : 1;
  const std::int64_t channels = x.extent(-2) / num_taps;
  Shape out;
  for (std::size_t i = 0; i < 2; ++i) {
    out.push_back(taps.num_positions(i, size[i] + 2 * taps.padding[i]));
  }
  const Tensor columns = b.reshape(x, {batch, channels, num_taps, out[0], out[1]});
  std::optional<Tensor> image;
  for (std::int64_t k = 0; k < num_taps; ++k) {
    const Tensor tap = b.reshape(b.slice(columns, 2, k, k + 1), {batch, channels, out[0], out[1]});
    Shape low(4, 0);
    Shape high(4, 0);
    Shape interior(4, 0);
    const Shape tap_position = {k / taps.kernel[1], k % taps.kernel[1]};
    for (std::size_t i = 0; i < 2; ++i) {
      low[i + 2] = tap_position[i] * taps.dilation[i] - taps.padding[i];
      interior[i + 2] = taps.stride[i] - 1;
      high[i + 2] = size[i] - low[i + 2] - (out[i] - 1) * taps.stride[i] - 1;
    }
    const Tensor spread = b.emit.pad(tap, 0, low, high, interior);
    image = image ? b.add(*image, spread) : spread;
  }
  return {finish(call, b.reshape(*image, call.result_shape()))};
}

}  // namespace graphnet::lowering::decomposition
