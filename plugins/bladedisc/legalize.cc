// SPDX-License-Identifier: MIT
#include "bladedisc/legalize.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lowering/builder.h"
#include "lowering/ir/passes/layout.h"
#include "lowering/ir/passes/real_parts.h"
#include "lowering/substitutes.h"

namespace graphnet::bladedisc {

namespace ir = lowering::ir;

using lowering::Binary;
using lowering::Builder;
using lowering::Comparison;
using lowering::Contraction;
using lowering::ConvolutionAttributes;
using lowering::LoweringError;
using lowering::num_elements;
using lowering::Reduction;
using lowering::Shape;
using lowering::Tensor;
using lowering::Type;
using lowering::Unary;
using lowering::Window;

namespace {

// Positions of a window along one dimension up to which each is a slice of its own. Larger windows
// are combined from windows of half the size.
constexpr std::int64_t kMostSlices = 8;
// Products of integers, which DISC has no library for.
constexpr std::int64_t kMostIntegerProducts = std::int64_t{1} << 22U;

void require_type(Type type) {
  if (type != Type::kU8 && type != Type::kI16) return;
  throw LoweringError("DISC has no elements of type " + std::string(lowering::type_name(type)));
}

class Legalizer final : public ir::LayoutEmitter {
 public:
  Legalizer() : LayoutEmitter(/*rewrites=*/false) {}

  Tensor parameter(ir::ParameterSource source, std::int64_t index,
                   const ir::TensorType& type) override {
    require_type(type.type);
    return LayoutEmitter::parameter(source, index, type);
  }
  Tensor constant(Type type, const Shape& shape, const lowering::SharedBytes& bytes) override {
    require_type(type);
    return LayoutEmitter::constant(type, shape, bytes);
  }
  Tensor splat(Type type, const Shape& shape, double value) override {
    require_type(type);
    return LayoutEmitter::splat(type, shape, value);
  }
  Tensor iota(Type type, const Shape& shape, std::int64_t dim) override {
    require_type(type);
    return LayoutEmitter::iota(type, shape, dim);
  }
  Tensor convert(const Tensor& x, Type type) override {
    require_type(type);
    return LayoutEmitter::convert(x, type);
  }
  Tensor unary(Unary kind, const Tensor& x) override;
  Tensor binary(Binary kind, const Tensor& a, const Tensor& b) override;
  Tensor pad(const Tensor& x, double value, const Shape& low, const Shape& high,
             const Shape& interior) override;
  Tensor reduce(Reduction kind, const Tensor& x, const Shape& dims) override;
  std::pair<Tensor, Tensor> reduce_index(bool largest, const Tensor& x, std::int64_t dim) override;
  Tensor reduce_window(Reduction kind, const Tensor& x, const Window& window) override;
  Tensor dot(const Tensor& a, const Tensor& b, const Contraction& contraction) override;
  Tensor convolution(const Tensor& x, const Tensor& kernel,
                     const ConvolutionAttributes& attributes) override;
  Tensor scatter(const Tensor& x, const Tensor& starts, const Shape& dims, const Tensor& updates,
                 std::optional<Reduction> combine) override;
  std::pair<Tensor, Tensor> sort(const Tensor&, std::int64_t, bool) override {
    throw LoweringError("DISC has no sort");
  }

 private:
  Tensor window_along(Reduction kind, const Tensor& x, std::int64_t dim, const Window& window);
};

Tensor Legalizer::unary(Unary kind, const Tensor& x) {
  Builder b(*this);
  if (kind == Unary::kExpm1) return lowering::expm1_by_tanh(b, x);
  return LayoutEmitter::unary(kind, x);
}

Tensor Legalizer::binary(Binary kind, const Tensor& a, const Tensor& b) {
  if (kind == Binary::kXor) {
    return binary(Binary::kAnd, binary(Binary::kOr, a, b),
                  unary(Unary::kNot, binary(Binary::kAnd, a, b)));
  }
  if (a.type == Type::kBool) {
    if (kind == Binary::kMaximum || kind == Binary::kAdd) kind = Binary::kOr;
    if (kind == Binary::kMinimum || kind == Binary::kMultiply) kind = Binary::kAnd;
  }
  return LayoutEmitter::binary(kind, a, b);
}

// Padding that cuts is a slice.
Tensor Legalizer::pad(const Tensor& x, double value, const Shape& low, const Shape& high,
                      const Shape& interior) {
  Shape result = x.shape;
  Shape added_low = low;
  Shape added_high = high;
  Shape begin(low.size());
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] += low[i] + high[i] + std::max<std::int64_t>(result[i] - 1, 0) * interior[i];
    added_low[i] = std::max<std::int64_t>(low[i], 0);
    added_high[i] = std::max<std::int64_t>(high[i], 0);
    begin[i] = std::max<std::int64_t>(-low[i], 0);
  }
  if (num_elements(x.shape) == 0 || num_elements(result) == 0) return splat(x.type, result, value);
  const Tensor wide = LayoutEmitter::pad(x, value, added_low, added_high, interior);
  if (wide.shape == result) return wide;
  Shape end = begin;
  for (std::size_t i = 0; i < end.size(); ++i) end[i] += result[i];
  return slice(wide, begin, end, Shape(end.size(), 1));
}

// A region of one operation is all that DISC reduces with; bools are counted as numbers.
Tensor Legalizer::reduce(Reduction kind, const Tensor& x, const Shape& dims) {
  if (dims.empty()) return x;
  if (num_elements(x.shape) == 0) {
    return splat(x.type, lowering::without_dims(x.shape, dims),
                 lowering::identity_of(kind, x.type));
  }
  if (x.type != Type::kBool) return LayoutEmitter::reduce(kind, x, dims);
  const bool is_all =
      kind == Reduction::kAnd || kind == Reduction::kMin || kind == Reduction::kProduct;
  const Tensor numbers = convert(x, Type::kI32);
  return convert(LayoutEmitter::reduce(is_all ? Reduction::kMin : Reduction::kMax, numbers, dims),
                 Type::kBool);
}

std::pair<Tensor, Tensor> Legalizer::reduce_index(bool largest, const Tensor& x, std::int64_t dim) {
  Builder b(*this);
  return lowering::first_extreme(b, largest, x, dim);
}

// DISC generates no code for windows. What combines is associative and commutes, so a window is one
// along each dimension after the other.
Tensor Legalizer::reduce_window(Reduction kind, const Tensor& x, const Window& window) {
  const Tensor wide = pad(x, lowering::identity_of(kind, x.type), window.low, window.high,
                          Shape(x.shape.size(), 0));
  Tensor combined = wide;
  for (std::int64_t dim = 0; dim < x.rank(); ++dim) {
    combined = window_along(kind, combined, dim, window);
  }
  return combined;
}

Tensor Legalizer::window_along(Reduction kind, const Tensor& x, std::int64_t dim,
                               const Window& window) {
  const auto d = static_cast<std::size_t>(dim);
  const std::int64_t dilation = window.dilation[d];
  const std::int64_t stride = window.stride[d];
  const std::int64_t size = window.size[d];
  const Binary combine = lowering::combination_of(kind);
  Builder b(*this);
  const std::int64_t count = (x.extent(dim) - dilation * (size - 1) - 1) / stride + 1;
  if (size == 1 && stride == 1) return x;
  // What the element `tap` of each window is, of `from`.
  const auto met = [&](const Tensor& from, std::int64_t tap) {
    const std::int64_t begin = tap * dilation;
    return b.slice(from, dim, begin, begin + (count - 1) * stride + 1, stride);
  };
  if (size <= kMostSlices) {
    Tensor all = met(x, 0);
    for (std::int64_t tap = 1; tap < size; ++tap) all = binary(combine, all, met(x, tap));
    return all;
  }
  // Windows of 1, 2, 4, ... elements at every position; those that the size consists of, in turn.
  std::optional<Tensor> all;
  Tensor part = x;
  std::int64_t done = 0;
  for (std::int64_t width = 1;; width *= 2) {
    if ((size & width) != 0) {
      const Tensor each = met(part, done);
      all = all ? binary(combine, *all, each) : each;
      done += width;
    }
    if (done == size) return *all;
    const std::int64_t shift = width * dilation;
    part = binary(combine, b.slice(part, dim, 0, part.extent(dim) - shift),
                  b.slice(part, dim, shift, part.extent(dim)));
  }
}

// DISC's products are a library's: of matrices of floats, along one dimension.
Tensor Legalizer::dot(const Tensor& a, const Tensor& b, const Contraction& c) {
  const lowering::ProductExtents e = lowering::extents_of_product(a, b, c);
  const Type type = lowering::compute_type(a.type);
  if (num_elements(e.result) == 0 || e.depth == 0) return splat(type, e.result, 0);
  Builder build(*this);
  if (!lowering::is_float(a.type)) {
    if (e.batch * e.rows * e.columns * e.depth > kMostIntegerProducts) {
      throw LoweringError("DISC multiplies no matrices of integers, and these are large");
    }
    return lowering::dot_by_products(build, a, b, c);
  }
  // A product of halves has results of float32 here, which the library does not give.
  const Tensor left = build.convert(a, type);
  const Tensor right = build.convert(b, type);
  if (c.left_contracting.size() == 1) return LayoutEmitter::dot(left, right, c);
  const auto [x, y] = lowering::as_matrices(build, left, right, c);
  return build.reshape(LayoutEmitter::dot(x, y, {{0}, {0}, {2}, {2}}), e.result);
}

Tensor Legalizer::convolution(const Tensor& x, const Tensor& kernel,
                              const ConvolutionAttributes& attributes) {
  const Shape shape = lowering::convolved_shape(x, kernel, attributes);
  if (num_elements(shape) == 0 || num_elements(kernel.shape) == 0 || num_elements(x.shape) == 0) {
    return splat(x.type, shape, 0);
  }
  if (!lowering::is_float(x.type)) throw LoweringError("DISC convolves floats only");
  if (x.rank() > 5) throw LoweringError("DISC convolves along up to three dimensions");
  const bool is_dilated =
      std::any_of(attributes.input_dilation.begin(), attributes.input_dilation.end(),
                  [](std::int64_t dilation) { return dilation != 1; });
  if (!is_dilated) return LayoutEmitter::convolution(x, kernel, attributes);
  Builder b(*this);
  ConvolutionAttributes plain = attributes;
  const Shape zeros(attributes.low.size(), 0);
  plain.low = zeros;
  plain.high = zeros;
  plain.input_dilation = Shape(zeros.size(), 1);
  return LayoutEmitter::convolution(b.padded(x, attributes), kernel, plain);
}

Tensor Legalizer::scatter(const Tensor& x, const Tensor& starts, const Shape& dims,
                          const Tensor& updates, std::optional<Reduction> combine) {
  if (num_elements(updates.shape) == 0) return x;
  if (combine && *combine != Reduction::kSum) {
    throw LoweringError("DISC's scatter adds or replaces, and this one does something else");
  }
  return LayoutEmitter::scatter(x, starts, dims, updates, combine);
}

}  // namespace

ir::Built legalize(const ir::Graph& graph) {
  const ir::Built real = ir::with_real_parts(graph);
  if (!real.failures.empty()) return real;
  Legalizer legalizer;
  return ir::rewrite(real.graph, legalizer);
}

}  // namespace graphnet::bladedisc
