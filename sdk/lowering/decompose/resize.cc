// SPDX-License-Identifier: MIT
//
// Interpolation. Positions and weights are computed here with ATen's float arithmetic.
#include <algorithm>
#include <cmath>

#include "lowering/decompose.h"
#include "lowering/decompose/operands.h"

namespace graphnet::lowering::decomposition {

namespace {

/// One resized dimension.
struct Axis {
  std::int64_t dim = 0;
  std::int64_t in = 0;
  std::int64_t out = 0;
  bool align_corners = false;
  float scale = 1;  ///< input positions per output position
};

Tensor resized_input(Call& call) {
  const char* name = call.has("input") ? "input" : "self";
  return call.b.convert(call.tensor(name), compute_type(call.result_type()));
}

// Scale factors of the dimensions, outermost first; 0 where none is given.
std::vector<double> given_scales(Call& call, std::size_t count) {
  if (call.has("scale_factors")) return call.numbers("scale_factors");
  if (count == 1) return {call.has("scales") ? call.number("scales") : 0.0};
  return {call.has("scales_h") ? call.number("scales_h") : 0.0,
          call.has("scales_w") ? call.number("scales_w") : 0.0};
}

// source: ATen/native/UpSample.h area_pixel_compute_scale, in float as for float inputs
std::vector<Axis> axes_of(Call& call, const Tensor& x) {
  const Shape out = call.result_shape();
  const std::size_t count = x.shape.size() - 2;
  const std::vector<double> scales = given_scales(call, count);
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < count; ++i) {
    Axis axis;
    axis.dim = static_cast<std::int64_t>(i + 2);
    axis.in = x.shape[i + 2];
    axis.out = out[i + 2];
    axis.align_corners = call.has("align_corners") && call.flag("align_corners");
    const auto in = static_cast<float>(axis.in);
    if (axis.align_corners) {
      axis.scale = axis.out > 1 ? (in - 1) / static_cast<float>(axis.out - 1) : 0;
    } else if (scales[i] > 0) {
      axis.scale = static_cast<float>(1.0 / scales[i]);
    } else {
      axis.scale = in / static_cast<float>(axis.out);
    }
    axes.push_back(axis);
  }
  return axes;
}

// Where an output position lies in the input; `cubic` positions may lie before the first element.
float source_position(const Axis& axis, std::int64_t out, bool cubic) {
  const auto position = static_cast<float>(out);
  if (axis.align_corners) return axis.scale * position;
  const float source = axis.scale * (position + 0.5F) - 0.5F;
  return cubic ? source : std::max(source, 0.0F);
}

Tensor repeat_elements(Builder& b, const Tensor& x, const Axis& axis, std::int64_t times) {
  Shape spread = x.shape;
  spread.insert(spread.begin() + axis.dim + 1, 1);
  const Tensor split = b.reshape(x, spread);
  spread[static_cast<std::size_t>(axis.dim) + 1] = times;
  Shape merged = x.shape;
  merged[static_cast<std::size_t>(axis.dim)] *= times;
  return b.reshape(b.emit.broadcast(split, spread, counting(split.rank())), merged);
}

Tensor nearest(Builder& b, const Tensor& x, const Axis& axis) {
  if (axis.in == axis.out && axis.scale == 1) return x;
  std::vector<std::int64_t> indices;
  bool is_repeat = axis.out % axis.in == 0;
  for (std::int64_t i = 0; i < axis.out; ++i) {
    const auto index = static_cast<std::int64_t>(std::floor(static_cast<float>(i) * axis.scale));
    indices.push_back(std::min(index, axis.in - 1));
    is_repeat = is_repeat && indices.back() == i / (axis.out / axis.in);
  }
  if (is_repeat) return repeat_elements(b, x, axis, axis.out / axis.in);
  return b.take(x, axis.dim, indices);
}

Tensor linear(Builder& b, const Tensor& x, const Axis& axis) {
  if (axis.in == axis.out && axis.scale == 1) return x;
  std::vector<std::int64_t> lower;
  std::vector<std::int64_t> upper;
  std::vector<double> weights;
  for (std::int64_t i = 0; i < axis.out; ++i) {
    const float source = source_position(axis, i, false);
    const auto first = std::min(static_cast<std::int64_t>(source), axis.in - 1);
    lower.push_back(first);
    upper.push_back(std::min(first + 1, axis.in - 1));
    weights.push_back(static_cast<double>(std::min(source - static_cast<float>(first), 1.0F)));
  }
  Tensor upper_weight = b.emit.constant(Type::kF64, {axis.out}, weights.data());
  upper_weight = b.convert(upper_weight, x.type);
  const Tensor low = b.take(x, axis.dim, lower);
  const Tensor high = b.take(x, axis.dim, upper);
  // Computed before it is broadcast: a backend may store what depends on constants alone.
  const Tensor lower_weight = b.subtract(b.full(x.type, {axis.out}, 1), upper_weight);
  const auto weighted = [&](const Tensor& part, const Tensor& weight) {
    return b.multiply(part, b.emit.broadcast(weight, part.shape, {axis.dim}));
  };
  return b.add(weighted(low, lower_weight), weighted(high, upper_weight));
}

// Keys' cubic kernel.
float cubic_weight(float distance, float a) {
  const float x = std::abs(distance);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  if (x < 2) return ((a * x - 5 * a) * x + 8 * a) * x - 4 * a;
  return 0;
}

Tensor cubic(Builder& b, const Tensor& x, const Axis& axis) {
  std::vector<double> matrix(static_cast<std::size_t>(axis.in * axis.out), 0.0);
  for (std::int64_t i = 0; i < axis.out; ++i) {
    const float source = source_position(axis, i, true);
    const float first = std::floor(source);
    for (int tap = -1; tap <= 2; ++tap) {
      const std::int64_t from =
          std::clamp<std::int64_t>(static_cast<std::int64_t>(first) + tap, 0, axis.in - 1);
      matrix[static_cast<std::size_t>(i * axis.in + from)] +=
          static_cast<double>(cubic_weight(source - first - static_cast<float>(tap), -0.75F));
    }
  }
  return b.apply_matrix(x, axis.dim, matrix, axis.out);
}

// source: ATen/native/cpu/UpSampleKernel.cpp, _compute_indices_weights_aa
Tensor cubic_antialias(Builder& b, const Tensor& x, const Axis& axis) {
  const float stretch = std::max(axis.scale, 1.0F);
  const float support = 2 * stretch;
  std::vector<double> matrix(static_cast<std::size_t>(axis.in * axis.out), 0.0);
  for (std::int64_t i = 0; i < axis.out; ++i) {
    const float centre = axis.scale * (static_cast<float>(i) + 0.5F);
    // NOLINTBEGIN(bugprone-incorrect-roundings): as libtorch rounds
    const auto begin =
        std::max<std::int64_t>(static_cast<std::int64_t>(centre - support + 0.5F), 0);
    const auto end =
        std::min<std::int64_t>(static_cast<std::int64_t>(centre + support + 0.5F), axis.in);
    // NOLINTEND(bugprone-incorrect-roundings)
    float total = 0;
    std::vector<float> weights;
    for (std::int64_t k = begin; k < end; ++k) {
      weights.push_back(cubic_weight((static_cast<float>(k) - centre + 0.5F) / stretch, -0.5F));
      total += weights.back();
    }
    for (std::size_t k = 0; k < weights.size(); ++k) {
      matrix[static_cast<std::size_t>(i * axis.in + begin) + k] =
          static_cast<double>(weights[k] / total);
    }
  }
  return b.apply_matrix(x, axis.dim, matrix, axis.out);
}

Tensors resize(Call& call, Tensor (*one_axis)(Builder&, const Tensor&, const Axis&)) {
  Tensor x = resized_input(call);
  for (const Axis& axis : axes_of(call, x)) x = one_axis(call.b, x, axis);
  return {finish(call, x)};
}

/// Bilinear grid sampling of x [n, c, h, w] at one of the four neighbours.
struct Sampler {
  Builder& b;
  Tensor x;
  bool zeros = true;

  // A position that is NaN is not outside: its weight is NaN, and so is the result, as in eager.
  Tensor outside(const Tensor& index, std::int64_t extent) const {
    return b.binary(Binary::kOr, b.compare(Comparison::kLt, index, 0),
                    b.compare(Comparison::kGe, index, static_cast<double>(extent)));
  }

  // Values at integer positions [n, oh, ow], as [n, c, oh, ow], times weight [n, oh, ow].
  Tensor at(const Tensor& row, const Tensor& column, Tensor weight) const {
    const std::int64_t height = x.extent(2);
    const std::int64_t width = x.extent(3);
    if (zeros) {
      const Tensor off = b.binary(Binary::kOr, outside(row, height), outside(column, width));
      weight = b.select(off, b.full(weight.type, {}, 0), weight);
    }
    const auto coordinate = [&](const Tensor& position, std::int64_t extent) {
      // As an integer NaN would be an index far outside the tensor; it is not at least zero.
      const Tensor number =
          b.select(b.compare(Comparison::kGe, position, 0), position, b.full(position.type, {}, 0));
      const Tensor clamped = b.clamp(number, 0, static_cast<double>(extent - 1));
      Shape with_last = position.shape;
      with_last.push_back(1);
      return b.reshape(b.convert(clamped, Type::kI32), with_last);
    };
    Shape with_last = row.shape;
    with_last.push_back(1);
    const Tensor batch = b.emit.iota(Type::kI32, with_last, 0);
    const Tensor starts =
        b.emit.concatenate({batch, coordinate(row, height), coordinate(column, width)}, row.rank());
    const Tensor values = b.emit.gather(x, starts, {0, 2, 3}, 0);
    const Tensor weighted = b.multiply(values, b.reshape(weight, with_last));
    return b.emit.transpose(weighted, {0, 3, 1, 2});
  }
};

}  // namespace

Tensors upsample_nearest(Call& call) {
  return resize(call, nearest);
}
Tensors upsample_linear(Call& call) {
  return resize(call, linear);
}
Tensors upsample_cubic(Call& call) {
  return resize(call, cubic);
}
Tensors upsample_cubic_antialias(Call& call) {
  return resize(call, cubic_antialias);
}

Tensors grid_sampler(Call& call) {
  Builder& b = call.b;
  const std::int64_t padding = call.integer("padding_mode");
  if (call.integer("interpolation_mode") != 0 || padding > 1 || call.tensor("input").rank() != 4) {
    throw LoweringError("grid sampling that is not bilinear over two dimensions");
  }
  const Type type = compute_type(call.result_type());
  const Sampler sampler = {b, b.convert(call.tensor("input"), type), padding == 0};
  const Tensor grid = b.convert(call.tensor("grid"), type);
  const bool align = call.flag("align_corners");
  const auto position = [&](std::int64_t part, std::int64_t extent) {
    Tensor each = b.slice(grid, 3, part, part + 1);
    each = b.reshape(each, {grid.extent(0), grid.extent(1), grid.extent(2)});
    const auto size = static_cast<double>(extent);
    const Tensor scaled = align ? b.multiply(b.add(each, 1), (size - 1) / 2)
                                : b.multiply(b.add(b.multiply(b.add(each, 1), size), -1), 0.5);
    return padding == 1 ? b.clamp(scaled, 0, size - 1) : scaled;
  };
  const Tensor column = position(0, sampler.x.extent(3));
  const Tensor row = position(1, sampler.x.extent(2));
  const Tensor left = b.unary(Unary::kFloor, column);
  const Tensor top = b.unary(Unary::kFloor, row);
  const Tensor right_weight = b.subtract(column, left);
  const Tensor bottom_weight = b.subtract(row, top);
  const Tensor one = b.full(type, row.shape, 1);
  const Tensor left_weight = b.subtract(one, right_weight);
  const Tensor top_weight = b.subtract(one, bottom_weight);
  const Tensor right = b.add(left, 1);
  const Tensor bottom = b.add(top, 1);
  const Tensor upper = b.add(sampler.at(top, left, b.multiply(top_weight, left_weight)),
                             sampler.at(top, right, b.multiply(top_weight, right_weight)));
  const Tensor lower = b.add(sampler.at(bottom, left, b.multiply(bottom_weight, left_weight)),
                             sampler.at(bottom, right, b.multiply(bottom_weight, right_weight)));
  return {finish(call, b.add(upper, lower))};
}

}  // namespace graphnet::lowering::decomposition
