// SPDX-License-Identifier: MIT
//
// Operations whose elements are computed from many: reductions, products, sorting, scatter.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>

#include "lowering/builder.h"
#include "lowering/ir/interpret.h"

namespace graphnet::lowering::ir {

namespace {

template <typename Element>
using Vector = std::vector<Element>;

std::size_t at(std::int64_t position) {
  return static_cast<std::size_t>(position);
}

std::int64_t offset(const Shape& index, const Shape& strides) {
  return std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
}

template <typename Element>
Element identity_of(Reduction kind, Type type) {
  if (kind == Reduction::kSum || kind == Reduction::kOr) return Element(0);
  if (kind == Reduction::kProduct || kind == Reduction::kAnd) return Element(1);
  const double infinity = std::numeric_limits<double>::infinity();
  const double limit = kind == Reduction::kMin ? infinity : -infinity;
  if constexpr (std::is_same_v<Element, std::int64_t>) return to_integer(type, limit);
  return Element(limit);
}

template <typename Element>
Element combined(Reduction kind, Element a, Element b) {
  if (kind == Reduction::kSum) return a + b;
  if (kind == Reduction::kProduct) return a * b;
  if constexpr (std::is_same_v<Element, Complex>) {
    throw LoweringError("the interpreter has no such reduction of complex numbers");
  } else if constexpr (std::is_same_v<Element, std::int64_t>) {
    if (kind == Reduction::kAnd) return a & b;
    if (kind == Reduction::kOr) return a | b;
    return kind == Reduction::kMin ? std::min(a, b) : std::max(a, b);
  } else {
    if (std::isnan(a) || std::isnan(b)) return std::numeric_limits<double>::quiet_NaN();
    return kind == Reduction::kMin ? std::min(a, b) : std::max(a, b);
  }
}

/// Whether a comes before b in descending (ascending) order; NaN is the largest.
template <typename Element>
bool is_before(Element a, Element b, bool descending) {
  if constexpr (std::is_same_v<Element, Complex>) {
    throw LoweringError("complex numbers have no order");
  } else {
    const Element& left = descending ? b : a;
    const Element& right = descending ? a : b;
    return left < right || (right != right && left == left);  // NOLINT: NaN
  }
}

/// A tensor's elements with dimensions in another order.
template <typename Element>
Vector<Element> permuted(const Array& array, const Shape& order) {
  Shape strides;
  Shape shape;
  const Shape old = strides_of(array.type.shape);
  for (const std::int64_t dim : order) {
    strides.push_back(old[at(dim)]);
    shape.push_back(array.type.shape[at(dim)]);
  }
  const auto& from = std::get<Vector<Element>>(array.elements);
  Vector<Element> result;
  result.reserve(from.size());
  for_each_index(shape,
                 [&](const Shape& index) { result.push_back(from[at(offset(index, strides))]); });
  return result;
}

/// The first `extent` elements along a dimension.
template <typename Element>
Array cut(const Array& array, std::size_t dim, std::int64_t extent) {
  Array result = {array.type, Vector<Element>()};
  result.type.shape[dim] = extent;
  const Shape strides = strides_of(array.type.shape);
  const auto& from = std::get<Vector<Element>>(array.elements);
  auto& to = std::get<Vector<Element>>(result.elements);
  for_each_index(result.type.shape,
                 [&](const Shape& index) { to.push_back(from[at(offset(index, strides))]); });
  return result;
}

std::int64_t extent_of(const TensorType& x, const Shape& dims) {
  std::int64_t extent = 1;
  for (const std::int64_t dim : dims) extent *= x.shape[at(dim)];
  return extent;
}

Shape joined(std::initializer_list<Shape> parts) {
  Shape all;
  for (const Shape& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

Shape free_dims(const TensorType& x, const Shape& batch, const Shape& contracting) {
  return without_dims(counting(x.rank()), joined({batch, contracting}));
}

Vector<Complex> transformed(const Vector<Complex>& x, bool inverse) {
  const std::size_t count = x.size();
  const double step = (inverse ? 2 : -2) * std::acos(-1.0) / static_cast<double>(count);
  Vector<Complex> result(count);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t n = 0; n < count; ++n) {
      result[k] += x[n] * std::polar(1.0, step * static_cast<double>(k * n % count));
    }
    if (inverse) result[k] /= static_cast<double>(count);
  }
  return result;
}

/// Elements of one kind at a time.
template <typename Element>
class Sums {
 public:
  Sums(const std::vector<const Array*>& operands, const std::vector<TensorType>& results)
      : in_(operands), out_(results), x_(std::get<Vector<Element>>(operands[0]->elements)) {}

  std::vector<Array> operator()(const Reduce& each) const {
    const Shape kept = without_dims(counting(in_[0]->type.rank()), each.dims);
    Shape strides(in_[0]->type.shape.size(), 0);
    const Shape result_strides = strides_of(out_[0].shape);
    for (std::size_t i = 0; i < kept.size(); ++i) strides[at(kept[i])] = result_strides[i];
    Vector<Element> result = start(each.kind);
    std::size_t i = 0;
    for_each_index(in_[0]->type.shape, [&](const Shape& index) {
      Element& sum = result[at(offset(index, strides))];
      sum = combined(each.kind, sum, x_[i++]);
    });
    return one(std::move(result));
  }

  std::vector<Array> operator()(const ReduceWindow& each) const {
    const Window& w = each.window;
    const Shape& shape = in_[0]->type.shape;
    const Shape strides = strides_of(shape);
    Vector<Element> result = start(each.kind);
    std::size_t i = 0;
    for_each_index(out_[0].shape, [&](const Shape& index) {
      Element& sum = result[i++];
      for_each_index(w.size, [&](const Shape& tap) {
        std::int64_t source = 0;
        for (std::size_t d = 0; d < shape.size(); ++d) {
          const std::int64_t position = index[d] * w.stride[d] + tap[d] * w.dilation[d] - w.low[d];
          if (position < 0 || position >= shape[d]) return;
          source += position * strides[d];
        }
        sum = combined(each.kind, sum, x_[at(source)]);
      });
    });
    return one(std::move(result));
  }

  std::vector<Array> operator()(const Dot& each) const {
    const Contraction& c = each.contraction;
    const TensorType& a = in_[0]->type;
    const TensorType& b = in_[1]->type;
    const Shape left_free = free_dims(a, c.left_batch, c.left_contracting);
    const Shape right_free = free_dims(b, c.right_batch, c.right_contracting);
    const auto left =
        permuted<Element>(*in_[0], joined({c.left_batch, left_free, c.left_contracting}));
    const auto right =
        permuted<Element>(*in_[1], joined({c.right_batch, right_free, c.right_contracting}));
    const std::int64_t rows = extent_of(a, left_free);
    const std::int64_t columns = extent_of(b, right_free);
    const std::int64_t depth = extent_of(a, c.left_contracting);
    Vector<Element> result;
    result.reserve(at(num_elements(out_[0].shape)));
    for (std::int64_t row = 0; row < extent_of(a, c.left_batch) * rows; ++row) {
      for (std::int64_t column = 0; column < columns; ++column) {
        const auto from = left.begin() + row * depth;
        const auto to = right.begin() + (row / rows * columns + column) * depth;
        result.push_back(std::inner_product(from, from + depth, to, Element(0)));
      }
    }
    return one(std::move(result));
  }

  std::vector<Array> operator()(const Convolution& each) const {
    const ConvolutionAttributes& w = each.window;
    const auto x = in_order(*in_[0], each.layout);
    const auto kernel = in_order(*in_[1], each.kernel_layout);
    const Shape shape = out_of_layout(in_[0]->type.shape, each.layout);
    const Shape taps = out_of_layout(in_[1]->type.shape, each.kernel_layout);
    const Shape strides = strides_of(shape);
    const std::int64_t out_per_group = taps[0] / w.groups;
    Shape window(taps.begin() + 1, taps.end());  // input channels of a group, then positions
    const std::int64_t window_size = num_elements(window);
    Vector<Element> result;
    const Shape result_shape = out_of_layout(out_[0].shape, each.layout);
    for_each_index(result_shape, [&](const Shape& index) {
      const std::int64_t first_channel = index[1] / out_per_group * taps[1];
      const Element* weight = kernel.data() + index[1] * window_size;
      Element sum(0);
      for_each_index(window, [&](const Shape& tap) {
        const Element factor = *weight++;
        std::int64_t source = index[0] * strides[0] + (first_channel + tap[0]) * strides[1];
        for (std::size_t d = 0; d + 2 < shape.size(); ++d) {
          const std::int64_t position =
              index[d + 2] * w.stride[d] + tap[d + 1] * w.kernel_dilation[d] - w.low[d];
          const bool is_there = position >= 0 && position % w.input_dilation[d] == 0 &&
                                position / w.input_dilation[d] < shape[d + 2];
          if (!is_there) return;
          source += position / w.input_dilation[d] * strides[d + 2];
        }
        sum += factor * x[at(source)];
      });
      result.push_back(sum);
    });
    if (each.layout.empty()) return one(std::move(result));
    return one(permuted<Element>({{out_[0].type, result_shape}, std::move(result)}, each.layout));
  }

  /// As the plain product of what the panels hold.
  std::vector<Array> operator()(const PackedDot& each) const {
    const Shape& panels = in_[1]->type.shape;
    const Array right =
        cut<Element>({{in_[1]->type.type, {panels[0], panels[2], panels[1] * panels[3]}},
                      permuted<Element>(*in_[1], {0, 2, 1, 3})},
                     2, each.columns);
    const std::vector<const Array*> operands = {in_[0], &right};
    return Sums(operands, out_)(Dot{{{0}, {0}, {2}, {1}}});
  }

  std::vector<Array> operator()(const PackedConvolution& each) const {
    const Shape& panels = in_[1]->type.shape;
    const std::size_t count = each.stride.size();
    // [panels, lanes, in, taps...].
    Shape order = {0, static_cast<std::int64_t>(count) + 2, static_cast<std::int64_t>(count) + 1};
    Shape shape = {panels[0] * panels[count + 2], panels[count + 1]};
    for (std::size_t i = 1; i <= count; ++i) {
      order.push_back(static_cast<std::int64_t>(i));
      shape.push_back(panels[i]);
    }
    const Array kernel =
        cut<Element>({{in_[1]->type.type, shape}, permuted<Element>(*in_[1], order)}, 0, each.out);
    const Shape zeros(count, 0);
    const ConvolutionAttributes window = {each.stride,          zeros,      zeros, Shape(count, 1),
                                          each.kernel_dilation, each.groups};
    Shape layout = counting(static_cast<std::int64_t>(count) + 2);
    layout.erase(layout.begin() + 1);
    layout.push_back(1);
    const std::vector<const Array*> operands = {in_[0], &kernel};
    return Sums(operands, out_)(Convolution{window, layout, {}});
  }

  std::vector<Array> operator()(const Scatter& each) const {
    const auto& starts = std::get<Vector<std::int64_t>>(in_[1]->elements);
    const auto& updates = std::get<Vector<Element>>(in_[2]->elements);
    const Shape strides = strides_of(in_[0]->type.shape);
    const Shape rest = without_dims(counting(in_[0]->type.rank()), each.dims);
    const std::size_t num_batch = in_[1]->type.shape.size() - 1;
    const Shape start_strides = strides_of(in_[1]->type.shape);
    Vector<Element> result = x_;
    std::size_t update = 0;
    for_each_index(in_[2]->type.shape, [&](const Shape& index) {
      std::int64_t start = 0;
      for (std::size_t i = 0; i < num_batch; ++i) start += index[i] * start_strides[i];
      std::int64_t target = 0;
      for (std::size_t k = 0; k < each.dims.size(); ++k) {
        target += starts[at(start) + k] * strides[at(each.dims[k])];
      }
      for (std::size_t i = 0; i < rest.size(); ++i) {
        target += index[num_batch + i] * strides[at(rest[i])];
      }
      Element& old = result.at(at(target));
      const Element value = updates[update++];
      old = each.combine ? combined(*each.combine, old, value) : value;
    });
    return one(std::move(result));
  }

  std::vector<Array> operator()(const Sort& each) const {
    return sorted(each.dim, each.descending, in_[0]->type.shape[at(each.dim)]);
  }
  /// The first of a descending (ascending) order; but NaN is the smallest, too.
  std::vector<Array> operator()(const ReduceIndex& each) const {
    return sorted(each.dim, each.largest, 1, /*nan_first=*/true);
  }

  std::vector<Array> operator()(const FourierTransform& each) const {
    const std::size_t rank = in_[0]->type.shape.size();
    Shape shape = in_[0]->type.shape;
    Vector<Complex> values = as_complex();
    const bool is_inverse = each.kind == Fourier::kInverse || each.kind == Fourier::kRealInverse;
    for (std::size_t i = 0; i < each.lengths.size(); ++i) {
      // Real transforms have their halved dimension last, and undo it last.
      const bool is_forward = each.kind == Fourier::kRealForward;
      const std::size_t nth = is_forward ? each.lengths.size() - 1 - i : i;
      const std::size_t dim = rank - each.lengths.size() + nth;
      std::int64_t kept = each.lengths[nth];
      if (dim + 1 == rank && is_forward) kept = kept / 2 + 1;
      const bool mirror = dim + 1 == rank && each.kind == Fourier::kRealInverse;
      values = along(values, shape, dim, {each.lengths[nth], kept}, is_inverse, mirror);
      shape[dim] = kept;
    }
    if (each.kind != Fourier::kRealInverse) return {{out_[0], std::move(values)}};
    Vector<double> real;
    for (const Complex& value : values) real.push_back(value.real());
    return {{out_[0], std::move(real)}};
  }

  template <typename Other>
  std::vector<Array> operator()(const Other&) const {
    throw LoweringError("the interpreter has no such operation");
  }

 private:
  struct Lengths {
    std::int64_t whole = 0;
    std::int64_t kept = 0;
  };

  /// Elements of what memory holds in this layout.
  static Vector<Element> in_order(const Array& array, const Shape& layout) {
    return permuted<Element>(array, out_of_layout(counting(array.type.rank()), layout));
  }

  Vector<Element> start(Reduction kind) const {
    return Vector<Element>(at(num_elements(out_[0].shape)),
                           identity_of<Element>(kind, out_[0].type));
  }
  std::vector<Array> one(Vector<Element> elements) const {
    return {{out_[0], std::move(elements)}};
  }

  Vector<Complex> as_complex() const { return {x_.begin(), x_.end()}; }

  std::vector<Array> sorted(std::int64_t dim, bool descending, std::int64_t kept,
                            bool nan_first = false) const {
    const Shape& shape = in_[0]->type.shape;
    const std::int64_t stride = strides_of(shape)[at(dim)];
    const std::int64_t extent = shape[at(dim)];
    Shape heads = shape;
    heads[at(dim)] = 1;
    Vector<Element> values(at(num_elements(shape) / std::max<std::int64_t>(extent, 1) * kept));
    Vector<std::int64_t> indices(values.size());
    const Shape strides = strides_of(shape);
    const Shape result_strides = strides_of(out_[0].shape);
    for_each_index(heads, [&](const Shape& index) {
      const std::int64_t base = offset(index, strides);
      Shape order = counting(extent);
      const auto value = [&](std::int64_t i) { return x_[at(base + i * stride)]; };
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        const bool a_is_nan = value(a) != value(a);  // NOLINT: NaN
        const bool b_is_nan = value(b) != value(b);  // NOLINT: NaN
        if (nan_first && (a_is_nan || b_is_nan)) return a_is_nan && !b_is_nan;
        return is_before(value(a), value(b), descending);
      });
      Shape out = index;
      if (out_[0].shape.size() < shape.size()) out.erase(out.begin() + dim);
      const std::int64_t to = offset(out, result_strides);
      for (std::int64_t i = 0; i < kept; ++i) {
        values[at(to + i * stride)] = value(order[at(i)]);
        indices[at(to + i * stride)] = order[at(i)];
      }
    });
    return {{out_[0], std::move(values)}, {out_[1], std::move(indices)}};
  }

  static Vector<Complex> along(const Vector<Complex>& values, const Shape& shape, std::size_t dim,
                               const Lengths& lengths, bool inverse, bool mirror) {
    Shape heads = shape;
    heads[dim] = 1;
    Shape result_shape = shape;
    result_shape[dim] = lengths.kept;
    const Shape strides = strides_of(shape);
    const Shape result_strides = strides_of(result_shape);
    Vector<Complex> result(at(num_elements(result_shape)));
    for_each_index(heads, [&](const Shape& index) {
      Vector<Complex> line(at(lengths.whole));
      for (std::int64_t i = 0; i < lengths.whole; ++i) {
        const bool is_mirrored = mirror && i >= shape[dim];
        const std::int64_t source = is_mirrored ? lengths.whole - i : i;
        const Complex value = values[at(offset(index, strides) + source * strides[dim])];
        line[at(i)] = is_mirrored ? std::conj(value) : value;
      }
      line = transformed(line, inverse);
      for (std::int64_t i = 0; i < lengths.kept; ++i) {
        result[at(offset(index, result_strides) + i * result_strides[dim])] = line[at(i)];
      }
    });
    return result;
  }

  const std::vector<const Array*>& in_;
  const std::vector<TensorType>& out_;
  const Vector<Element>& x_;
};

}  // namespace

std::vector<Array> interpret_sum(const Operation& operation,
                                 const std::vector<const Array*>& operands,
                                 const std::vector<TensorType>& results) {
  return std::visit(
      [&](const auto& elements) {
        using Element = typename std::decay_t<decltype(elements)>::value_type;
        return std::visit(Sums<Element>(operands, results), operation);
      },
      operands[0]->elements);
}

}  // namespace graphnet::lowering::ir
