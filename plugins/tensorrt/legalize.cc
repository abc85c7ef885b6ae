// SPDX-License-Identifier: MIT
#include "tensorrt/legalize.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "lowering/builder.h"
#include "lowering/ir/passes/layout.h"
#include "lowering/ir/passes/real_parts.h"
#include "lowering/substitutes.h"
#include "tensorrt/natives.h"

namespace graphnet::tensorrt {

namespace ir = lowering::ir;

using lowering::Binary;
using lowering::Builder;
using lowering::Comparison;
using lowering::ConvolutionAttributes;
using lowering::counting;
using lowering::extents_of;
using lowering::joined;
using lowering::LoweringError;
using lowering::num_elements;
using lowering::Reduction;
using lowering::Shape;
using lowering::Tensor;
using lowering::Type;
using lowering::Unary;
using lowering::Window;

namespace {

// Windows that are no pooling are written out up to so many positions, products of integers up to
// so many elements.
constexpr std::int64_t kMostTaps = 256;
constexpr std::int64_t kMostIntegerProducts = std::int64_t{1} << 22U;
// Elements of the matrix that says which update goes where.
constexpr std::int64_t kMostPlaces = std::int64_t{1} << 24U;

class Legalizer final : public ir::LayoutEmitter {
 public:
  Legalizer() : LayoutEmitter(/*rewrites=*/false) {}

  std::optional<std::vector<Tensor>> composite(const ir::Composite& each,
                                               const std::vector<Tensor>& operands) override {
    if (!is_native(each, operands)) return std::nullopt;
    return nodes(each, operands);
  }

  Tensor unary(Unary kind, const Tensor& x) override;
  Tensor binary(Binary kind, const Tensor& a, const Tensor& b) override;
  Tensor compare(Comparison kind, const Tensor& a, const Tensor& b) override;
  Tensor pad(const Tensor& x, double value, const Shape& low, const Shape& high,
             const Shape& interior) override;
  Tensor reduce(Reduction kind, const Tensor& x, const Shape& dims) override;
  std::pair<Tensor, Tensor> reduce_index(bool largest, const Tensor& x, std::int64_t dim) override;
  Tensor reduce_window(Reduction kind, const Tensor& x, const Window& window) override;
  Tensor dot(const Tensor& a, const Tensor& b, const lowering::Contraction& contraction) override;
  Tensor convolution(const Tensor& x, const Tensor& kernel,
                     const ConvolutionAttributes& attributes) override;
  Tensor scatter(const Tensor& x, const Tensor& starts, const Shape& dims, const Tensor& updates,
                 std::optional<Reduction> combine) override;
  std::pair<Tensor, Tensor> sort(const Tensor& x, std::int64_t dim, bool descending) override;

 private:
  Tensor integer_power(const Tensor& a, const Tensor& b);
  Tensor spread(const Tensor& x, double value, std::int64_t dim, std::int64_t interior);
  Tensor unrolled_window(Reduction kind, const Tensor& x, const Window& window);
  Tensor place(const Tensor& x, const Tensor& starts, const Shape& dims);
  Tensor combined(Reduction kind, const Tensor& x, const Tensor& starts, const Shape& dims,
                  const Tensor& updates);
};

Tensor Legalizer::unary(Unary kind, const Tensor& x) {
  Builder b(*this);
  const bool is_integer = lowering::is_integer(x.type);
  if (is_integer && (kind == Unary::kFloor || kind == Unary::kCeil)) return x;
  // Two's complement.
  if (is_integer && kind == Unary::kNot) {
    return b.subtract(unary(Unary::kNegate, x), b.full(x.type, x.shape, 1));
  }
  if (is_integer && kind == Unary::kSign) {
    return b.subtract(convert(b.compare(Comparison::kGt, x, 0), x.type),
                      convert(b.compare(Comparison::kLt, x, 0), x.type));
  }
  if (kind == Unary::kExpm1) return lowering::expm1_by_tanh(b, x);
  return LayoutEmitter::unary(kind, x);
}

// Products of squares, for exponents that are known and the same everywhere.
Tensor Legalizer::integer_power(const Tensor& a, const Tensor& b) {
  Builder build(*this);
  Tensor result = build.full(a.type, a.shape, 1);
  Tensor square = a;
  // Exponents beyond overflow for every base but 0, 1 and -1, whose powers repeat.
  for (std::int64_t bit = 1; bit <= 32; bit *= 2) {
    const Tensor digit =
        binary(Binary::kRemainder,
               binary(Binary::kDivide, b, build.full(b.type, b.shape, static_cast<double>(bit))),
               build.full(b.type, b.shape, 2));
    result = build.select(build.compare(Comparison::kEq, digit, 1), build.multiply(result, square),
                          result);
    square = build.multiply(square, square);
  }
  // Negative exponents: 1 / a, toward zero.
  const Tensor is_negative = build.compare(Comparison::kLt, b, 0);
  const Tensor is_unit = build.compare(Comparison::kEq, unary(Unary::kAbs, a), 1);
  const Tensor zero = build.full(a.type, a.shape, 0);
  const Tensor inverse_digit =
      unary(Unary::kAbs, binary(Binary::kRemainder, b, build.full(b.type, b.shape, 2)));
  const Tensor of_unit = build.select(build.compare(Comparison::kEq, inverse_digit, 1), a,
                                      build.full(a.type, a.shape, 1));
  return build.select(is_negative, build.select(is_unit, of_unit, zero), result);
}

Tensor Legalizer::binary(Binary kind, const Tensor& a, const Tensor& b) {
  Builder build(*this);
  const bool is_bool = a.type == Type::kBool;
  if ((kind == Binary::kAnd || kind == Binary::kOr || kind == Binary::kXor) && !is_bool) {
    throw LoweringError("TensorRT has no bitwise operation on integers");
  }
  if (is_bool && kind == Binary::kMaximum) return LayoutEmitter::binary(Binary::kOr, a, b);
  if (is_bool && kind == Binary::kMinimum) return LayoutEmitter::binary(Binary::kAnd, a, b);
  if (is_bool && kind == Binary::kMultiply) return LayoutEmitter::binary(Binary::kAnd, a, b);
  if (is_bool && kind == Binary::kAdd) return LayoutEmitter::binary(Binary::kOr, a, b);
  if (kind == Binary::kPower && lowering::is_integer(a.type)) return integer_power(a, b);
  if (kind == Binary::kRemainder) {
    Tensor quotient = LayoutEmitter::binary(Binary::kDivide, a, b);
    if (lowering::is_float(a.type)) quotient = build.truncate(quotient);
    const Tensor rest = build.subtract(a, build.multiply(b, quotient));
    if (!lowering::is_float(a.type)) return rest;
    // What is finite leaves itself when it is divided by infinity.
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const Tensor is_whole = LayoutEmitter::binary(
        Binary::kAnd, build.compare(Comparison::kEq, unary(Unary::kAbs, b), kInfinity),
        build.compare(Comparison::kLt, unary(Unary::kAbs, a), kInfinity));
    return build.select(is_whole, a, rest);
  }
  return LayoutEmitter::binary(kind, a, b);
}

// TensorRT compares no bools, and has equal, less and greater only.
Tensor Legalizer::compare(Comparison kind, const Tensor& a, const Tensor& b) {
  if (a.type == Type::kBool) {
    if (kind == Comparison::kNe) return LayoutEmitter::binary(Binary::kXor, a, b);
    if (kind == Comparison::kEq) {
      return LayoutEmitter::unary(Unary::kNot, LayoutEmitter::binary(Binary::kXor, a, b));
    }
    return compare(kind, convert(a, Type::kI32), convert(b, Type::kI32));
  }
  return LayoutEmitter::compare(kind, a, b);
}

// `interior` values behind each element, then without those behind the last.
Tensor Legalizer::spread(const Tensor& x, double value, std::int64_t dim, std::int64_t interior) {
  Builder b(*this);
  const auto d = static_cast<std::size_t>(dim);
  Shape split = x.shape;
  split.insert(split.begin() + dim + 1, 1);
  Shape high(split.size(), 0);
  high[d + 1] = interior;
  const Shape zeros(split.size(), 0);
  const Tensor wide = LayoutEmitter::pad(b.reshape(x, split), value, zeros, high, zeros);
  Shape merged = x.shape;
  merged[d] *= interior + 1;
  return b.slice(b.reshape(wide, merged), dim, 0, merged[d] - interior);
}

Tensor Legalizer::pad(const Tensor& x, double value, const Shape& low, const Shape& high,
                      const Shape& interior) {
  Builder b(*this);
  Shape result = x.shape;
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] += low[i] + high[i] + std::max<std::int64_t>(result[i] - 1, 0) * interior[i];
  }
  if (num_elements(x.shape) == 0) return splat(x.type, result, value);
  Tensor wide = x;
  Shape cut_low = low;
  Shape cut_high = high;
  for (std::size_t i = 0; i < low.size(); ++i) {
    const auto dim = static_cast<std::int64_t>(i);
    if (interior[i] > 0 && wide.shape[i] > 1) wide = spread(wide, value, dim, interior[i]);
    if (low[i] < 0 || high[i] < 0) {
      const std::int64_t begin = std::max<std::int64_t>(-low[i], 0);
      const std::int64_t end = wide.shape[i] - std::max<std::int64_t>(-high[i], 0);
      // All of it is cut away, and what stands there then are the other side's values.
      if (end <= begin) return splat(x.type, result, value);
      wide = b.slice(wide, dim, begin, end);
    }
    cut_low[i] = std::max<std::int64_t>(low[i], 0);
    cut_high[i] = std::max<std::int64_t>(high[i], 0);
  }
  if (wide.shape == result) return wide;
  return LayoutEmitter::pad(wide, value, cut_low, cut_high, Shape(low.size(), 0));
}

// TensorRT reduces no bools.
Tensor Legalizer::reduce(Reduction kind, const Tensor& x, const Shape& dims) {
  if (dims.empty()) return x;
  if (num_elements(x.shape) == 0) {
    return splat(x.type, lowering::without_dims(x.shape, dims),
                 lowering::identity_of(kind, x.type));
  }
  if (x.type != Type::kBool) {
    if (kind == Reduction::kAnd || kind == Reduction::kOr) {
      throw LoweringError("TensorRT has no bitwise operation on integers");
    }
    return LayoutEmitter::reduce(kind, x, dims);
  }
  const bool is_all =
      kind == Reduction::kAnd || kind == Reduction::kMin || kind == Reduction::kProduct;
  const Tensor numbers = convert(x, Type::kI32);
  return convert(LayoutEmitter::reduce(is_all ? Reduction::kMin : Reduction::kMax, numbers, dims),
                 Type::kBool);
}

// TensorRT's TopK says neither which of several largest elements it takes nor what NaN counts as.
// The first position where an element is the largest, or NaN, is both.
std::pair<Tensor, Tensor> Legalizer::reduce_index(bool largest, const Tensor& x, std::int64_t dim) {
  Builder b(*this);
  return lowering::first_extreme(b, largest, x, dim);
}

Tensor Legalizer::reduce_window(Reduction kind, const Tensor& x, const Window& window) {
  Shape result;
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    const std::int64_t in = x.shape[i] + window.low[i] + window.high[i];
    result.push_back((in - window.dilation[i] * (window.size[i] - 1) - 1) / window.stride[i] + 1);
  }
  if (num_elements(x.shape) == 0 || num_elements(result) == 0) {
    return splat(x.type, result, lowering::identity_of(kind, x.type));
  }
  // What no window reaches is cut away.
  Builder b(*this);
  Tensor met = x;
  Window w = window;
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    const std::int64_t begin = std::max<std::int64_t>(-w.low[i], 0);
    const std::int64_t end = met.shape[i] - std::max<std::int64_t>(-w.high[i], 0);
    if (begin > 0 || end < met.shape[i]) {
      met = b.slice(met, static_cast<std::int64_t>(i), begin, end);
    }
    w.low[i] = std::max<std::int64_t>(w.low[i], 0);
    w.high[i] = std::max<std::int64_t>(w.high[i], 0);
  }
  if (running_sum_dim(kind, w, met.shape) >= 0 || is_pooling(kind, met.type, w)) {
    return LayoutEmitter::reduce_window(kind, met, w);
  }
  return unrolled_window(kind, met, w);
}

// Position by position: what each meets, combined.
Tensor Legalizer::unrolled_window(Reduction kind, const Tensor& x, const Window& window) {
  if (num_elements(window.size) > kMostTaps) {
    throw LoweringError("TensorRT has no such window, and it has more than " +
                        std::to_string(kMostTaps) + " positions");
  }
  const Shape zeros(x.shape.size(), 0);
  const Tensor wide = pad(x, lowering::identity_of(kind, x.type), window.low, window.high, zeros);
  std::optional<Tensor> combined;
  Shape tap(x.shape.size(), 0);
  for (std::int64_t count = num_elements(window.size); count > 0; --count) {
    Shape begin;
    Shape end;
    for (std::size_t i = 0; i < tap.size(); ++i) {
      begin.push_back(tap[i] * window.dilation[i]);
      end.push_back(wide.shape[i] - (window.size[i] - 1 - tap[i]) * window.dilation[i]);
    }
    const Tensor met = slice(wide, begin, end, window.stride);
    combined = combined ? binary(lowering::combination_of(kind), *combined, met) : met;
    for (std::size_t i = tap.size(); i > 0; --i) {
      if (++tap[i - 1] < window.size[i - 1]) break;
      tap[i - 1] = 0;
    }
  }
  return *combined;
}

// TensorRT multiplies matrices of floats only. Integers: every product, then sums.
Tensor Legalizer::dot(const Tensor& a, const Tensor& b, const lowering::Contraction& c) {
  const lowering::ProductExtents e = lowering::extents_of_product(a, b, c);
  if (num_elements(e.result) == 0 || e.depth == 0) {
    return splat(lowering::compute_type(a.type), e.result, 0);
  }
  if (!lowering::is_integer(a.type)) return LayoutEmitter::dot(a, b, c);
  if (e.batch * e.rows * e.columns * e.depth > kMostIntegerProducts) {
    throw LoweringError("TensorRT multiplies no matrices of integers, and these are large");
  }
  Builder build(*this);
  return lowering::dot_by_products(build, a, b, c);
}

Tensor Legalizer::convolution(const Tensor& x, const Tensor& kernel,
                              const ConvolutionAttributes& attributes) {
  const Shape shape = lowering::convolved_shape(x, kernel, attributes);
  if (num_elements(shape) == 0 || num_elements(kernel.shape) == 0 || num_elements(x.shape) == 0) {
    return splat(x.type, shape, 0);
  }
  if (!lowering::is_float(x.type)) throw LoweringError("TensorRT convolves floats only");
  return LayoutEmitter::convolution(x, kernel, attributes);
}

// Positions [batch..., k] along `dims` as one number each.
Tensor Legalizer::place(const Tensor& x, const Tensor& starts, const Shape& dims) {
  Builder b(*this);
  std::optional<Tensor> place;
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto k = static_cast<std::int64_t>(i);
    const Tensor along = b.convert(b.slice(starts, starts.rank() - 1, k, k + 1), Type::kI32);
    place =
        place ? b.add(b.multiply(*place, static_cast<double>(x.extent(dims[i]))), along) : along;
  }
  return b.reshape(*place, {num_elements(starts.shape) / starts.shape.back()});
}

// Where updates meet, in a matrix [places, updates] of those that go to a place: of sums a product
// with it, of others the combination of all updates, those that go elsewhere as what changes
// nothing.
Tensor Legalizer::combined(Reduction kind, const Tensor& x, const Tensor& starts, const Shape& dims,
                           const Tensor& updates) {
  Builder b(*this);
  const Shape rest = lowering::without_dims(counting(x.rank()), dims);
  const std::int64_t places = num_elements(extents_of(x.shape, dims));
  const std::int64_t count = num_elements(starts.shape) / starts.shape.back();
  const std::int64_t width = num_elements(extents_of(x.shape, rest));
  const bool is_sum = kind == Reduction::kSum && lowering::is_float(x.type);
  if (places * count * (is_sum ? 1 : width) > kMostPlaces) {
    throw LoweringError("TensorRT has no scatter that combines, and this one is large");
  }
  const Tensor at = broadcast(place(x, starts, dims), {places, count}, {1});
  const Tensor goes = compare(Comparison::kEq, iota(Type::kI32, {places, count}, 0), at);
  const Type type = lowering::compute_type(x.type);
  const Tensor values = b.convert(b.reshape(updates, {count, width}), type);
  Tensor met;
  if (is_sum) {
    met = dot(convert(goes, type), values, {{}, {}, {1}, {0}});
  } else {
    const Shape all = {places, count, width};
    const Tensor nothing = splat(type, all, lowering::identity_of(kind, type));
    met = reduce(
        kind, select(broadcast(goes, all, {0, 1}), broadcast(values, all, {1, 2}), nothing), {1});
  }
  const Shape order = joined(dims, rest);
  Shape moved;
  for (const std::int64_t dim : order) moved.push_back(x.extent(dim));
  Shape back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  }
  const Tensor in_place = transpose(b.reshape(met, moved), back);
  return b.convert(binary(lowering::combination_of(kind), b.convert(x, type), in_place), x.type);
}

Tensor Legalizer::scatter(const Tensor& x, const Tensor& starts, const Shape& dims,
                          const Tensor& updates, std::optional<Reduction> combine) {
  if (num_elements(updates.shape) == 0) return x;
  if (!combine) return LayoutEmitter::scatter(x, starts, dims, updates, combine);
  if (x.type == Type::kBool) throw LoweringError("TensorRT has no scatter that combines bools");
  return combined(*combine, x, starts, dims, updates);
}

std::pair<Tensor, Tensor> Legalizer::sort(const Tensor& x, std::int64_t dim, bool descending) {
  if (x.type != Type::kBool) return LayoutEmitter::sort(x, dim, descending);
  const auto [values, places] = LayoutEmitter::sort(convert(x, Type::kI32), dim, descending);
  return {convert(values, Type::kBool), places};
}

}  // namespace

Shape windowed_dims(const Window& window) {
  Shape dims;
  for (std::size_t i = 0; i < window.size.size(); ++i) {
    const bool is_still =
        window.size[i] == 1 && window.stride[i] == 1 && window.low[i] == 0 && window.high[i] == 0;
    if (!is_still) dims.push_back(static_cast<std::int64_t>(i));
  }
  return dims;
}

std::int64_t running_sum_dim(Reduction kind, const Window& window, const Shape& shape) {
  const Shape dims = windowed_dims(window);
  if (kind != Reduction::kSum || dims.size() != 1) return -1;
  const auto i = static_cast<std::size_t>(dims[0]);
  const bool is_running = window.size[i] == shape[i] && window.low[i] == shape[i] - 1 &&
                          window.high[i] == 0 && window.stride[i] == 1 && window.dilation[i] == 1;
  return is_running ? dims[0] : -1;
}

bool is_pooling(Reduction kind, Type type, const Window& window) {
  const Shape dims = windowed_dims(window);
  const bool is_kind =
      kind == Reduction::kMax || kind == Reduction::kMaxNumber || kind == Reduction::kSum;
  if (!is_kind || !lowering::is_float(type) || dims.empty() || dims.size() > 3) return false;
  return std::all_of(dims.begin(), dims.end(), [&](std::int64_t dim) {
    const auto i = static_cast<std::size_t>(dim);
    return (window.dilation[i] == 1 || window.size[i] == 1) && window.low[i] >= 0 &&
           window.high[i] >= 0 && window.low[i] < window.size[i] && window.high[i] < window.size[i];
  });
}

ir::Built legalize(const ir::Graph& graph) {
  const ir::Built real = ir::with_real_parts(graph);
  if (!real.failures.empty()) return real;
  Legalizer legalizer;
  return ir::rewrite(real.graph, legalizer);
}

}  // namespace graphnet::tensorrt
