// SPDX-License-Identifier: MIT
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

/// Slices of x [n, c, spatial...], one for each tap of a window over the last two dimensions.
struct Taps {
  Shape kernel;
  Shape dilation;
  Shape padding;
  Shape stride;
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
  const std::size_t count = weight.shape.size() - 2;
  const Tensor x = batched(call, weight.rank());
  ConvolutionAttributes a;
  a.groups = call.integer("groups");
  a.stride.assign(count, 1);
  a.input_dilation = call.integers("stride", count);
  a.kernel_dilation = call.integers("dilation", count);
  const Shape padding = call.integers("padding", count);
  const Shape extra = call.integers("output_padding", count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t reach = a.kernel_dilation[i] * (weight.shape[i + 2] - 1);
    if (padding[i] > reach) throw LoweringError("transposed convolution padded beyond its kernel");
    a.low.push_back(reach - padding[i]);
    a.high.push_back(reach - padding[i] + extra[i]);
  }
  Shape split = {a.groups, weight.shape[0] / a.groups};
  split.insert(split.end(), weight.shape.begin() + 1, weight.shape.end());
  Shape order = counting(static_cast<std::int64_t>(split.size()));
  std::swap(order[1], order[2]);
  Shape merged = {a.groups * weight.shape[1], weight.shape[0] / a.groups};
  merged.insert(merged.end(), weight.shape.begin() + 2, weight.shape.end());
  Tensor kernel = b.reshape(b.emit.transpose(b.reshape(weight, split), order), merged);
  Shape spatial = counting(static_cast<std::int64_t>(count));
  for (std::int64_t& dim : spatial) dim += 2;
  kernel = b.emit.reverse(kernel, spatial);
  const Tensor product = add_bias(b, b.emit.convolution(x, kernel, a), bias_of(call));
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
  for (std::size_t i = 0; i < 2; ++i) {
    const std::int64_t reach = taps.dilation[i] * (taps.kernel[i] - 1) + 1;
    out.push_back((x.shape[i + 2] - reach) / taps.stride[i] + 1);
  }
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
    const std::int64_t reach = taps.dilation[i] * (taps.kernel[i] - 1) + 1;
    out.push_back((size[i] + 2 * taps.padding[i] - reach) / taps.stride[i] + 1);
  }
  const Tensor columns = b.reshape(x, {batch, channels, num_taps, out[0], out[1]});
  std::optional<Tensor> image;
  for (std::int64_t k = 0; k < num_taps; ++k) {
    const Tensor tap = b.reshape(b.slice(columns, 2, k, k + 1), {batch, channels, out[0], out[1]});
    Shape low(4, 0);
    Shape high(4, 0);
    Shape interior(4, 0);
    const Shape place = {k / taps.kernel[1], k % taps.kernel[1]};
    for (std::size_t i = 0; i < 2; ++i) {
      low[i + 2] = place[i] * taps.dilation[i] - taps.padding[i];
      interior[i + 2] = taps.stride[i] - 1;
      high[i + 2] = size[i] - low[i + 2] - (out[i] - 1) * taps.stride[i] - 1;
    }
    const Tensor spread = b.emit.pad(tap, 0, low, high, interior);
    image = image ? b.add(*image, spread) : spread;
  }
  return {finish(call, b.reshape(*image, call.result_shape()))};
}

}  // namespace graphnet::lowering::decomposition
