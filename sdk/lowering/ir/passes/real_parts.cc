// SPDX-License-Identifier: MIT
#include "lowering/ir/passes/real_parts.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "lowering/builder.h"
#include "lowering/ir/graph_emitter.h"
#include "lowering/ir/replay.h"

namespace graphnet::lowering::ir {

namespace {

// Estimated: a product with so many columns takes about as long as reordering its rows twice.
constexpr std::int64_t kLongestProduct = 128;
// Two matrices of this many rows and columns take 128 MiB.
constexpr std::int64_t kLongestMatrix = 4096;

[[noreturn]] void refuse(const char* what) {
  throw LoweringError(std::string(what) + " of complex numbers, which the compiler does not have");
}

Type part_type(Type type) {
  return type == Type::kC128 ? Type::kF64 : Type::kF32;
}

/// Along the last dimension.
struct Direction {
  double sign = -1;  ///< of the angle: -1 forward, 1 back
  std::int64_t length = 0;
};

/// The first of two lengths that a transform is taken apart into, the largest that is not above the
/// other; 1: it stays one.
std::int64_t first_factor(std::int64_t length) {
  if (length <= kLongestProduct) return 1;
  auto factor = static_cast<std::int64_t>(std::sqrt(static_cast<double>(length)));
  while (length % factor != 0) --factor;
  return factor;
}

/// Writes complex tensors as pairs of real ones. Tensor::id of a complex tensor is its pair's
/// position in parts_, of others that of out_.
class RealParts final : public Emitter {
 public:
  explicit RealParts(bool rewrites) : out_(rewrites) {}

  Tensor parameter(const Parameter& each, const TensorType& type);
  Graph finish(const std::vector<Tensor>& outputs);

  void begin_node(std::string_view op, std::string_view where) override {
    out_.begin_node(op, where);
  }
  using Emitter::constant;
  Tensor constant(Type type, const Shape& shape, const SharedBytes& bytes) override;
  Tensor splat(Type type, const Shape& shape, double value) override {
    if (!is_complex(type)) return out_.splat(type, shape, value);
    const Type part = part_type(type);
    return pair({out_.splat(part, shape, value), out_.splat(part, shape, 0)});
  }
  Tensor iota(Type type, const Shape& shape, std::int64_t dim) override {
    if (is_complex(type)) refuse("indices");
    return out_.iota(type, shape, dim);
  }
  Tensor convert(const Tensor& x, Type type) override;
  Tensor unary(Unary kind, const Tensor& x) override;
  Tensor binary(Binary kind, const Tensor& a, const Tensor& b) override;
  Tensor compare(Comparison kind, const Tensor& a, const Tensor& b) override;
  Tensor select(const Tensor& condition, const Tensor& yes, const Tensor& no) override {
    if (!is_complex(yes.type)) return out_.select(condition, yes, no);
    return pair({out_.select(condition, parts(yes).real, parts(no).real),
                 out_.select(condition, parts(yes).imag, parts(no).imag)});
  }
  Tensor broadcast(const Tensor& x, const Shape& shape, const Shape& dims) override {
    return each_part(x, [&](const Tensor& part) { return out_.broadcast(part, shape, dims); });
  }
  Tensor reshape(const Tensor& x, const Shape& shape) override {
    return each_part(x, [&](const Tensor& part) { return out_.reshape(part, shape); });
  }
  Tensor transpose(const Tensor& x, const Shape& permutation) override {
    return each_part(x, [&](const Tensor& part) { return out_.transpose(part, permutation); });
  }
  Tensor slice(const Tensor& x, const Shape& begin, const Shape& end, const Shape& step) override {
    return each_part(x, [&](const Tensor& part) { return out_.slice(part, begin, end, step); });
  }
  Tensor pad(const Tensor& x, double value, const Shape& low, const Shape& high,
             const Shape& interior) override {
    if (!is_complex(x.type)) return out_.pad(x, value, low, high, interior);
    return pair({out_.pad(parts(x).real, value, low, high, interior),
                 out_.pad(parts(x).imag, 0, low, high, interior)});
  }
  Tensor concatenate(const std::vector<Tensor>& list, std::int64_t dim) override;
  Tensor reverse(const Tensor& x, const Shape& dims) override {
    return each_part(x, [&](const Tensor& part) { return out_.reverse(part, dims); });
  }
  Tensor reduce(Reduction kind, const Tensor& x, const Shape& dims) override {
    if (is_complex(x.type) && kind != Reduction::kSum) refuse("a reduction other than a sum");
    return each_part(x, [&](const Tensor& part) { return out_.reduce(kind, part, dims); });
  }
  std::pair<Tensor, Tensor> reduce_index(bool largest, const Tensor& x, std::int64_t dim) override {
    if (is_complex(x.type)) refuse("the order");
    return out_.reduce_index(largest, x, dim);
  }
  Tensor reduce_window(Reduction kind, const Tensor& x, const Window& window) override {
    if (is_complex(x.type)) refuse("a window");
    return out_.reduce_window(kind, x, window);
  }
  Tensor dot(const Tensor& a, const Tensor& b, const Contraction& contraction) override {
    if (is_complex(a.type)) refuse("a product");
    return out_.dot(a, b, contraction);
  }
  Tensor convolution(const Tensor& x, const Tensor& kernel,
                     const ConvolutionAttributes& attributes) override {
    if (is_complex(x.type)) refuse("a convolution");
    return out_.convolution(x, kernel, attributes);
  }
  Tensor gather(const Tensor& x, const Tensor& starts, const Shape& dims,
                std::int64_t batch_position) override {
    return each_part(
        x, [&](const Tensor& part) { return out_.gather(part, starts, dims, batch_position); });
  }
  Tensor scatter(const Tensor& x, const Tensor& starts, const Shape& dims, const Tensor& updates,
                 std::optional<Reduction> combine) override {
    if (is_complex(x.type)) refuse("a scatter");
    return out_.scatter(x, starts, dims, updates, combine);
  }
  std::pair<Tensor, Tensor> sort(const Tensor& x, std::int64_t dim, bool descending) override {
    if (is_complex(x.type)) refuse("the order");
    return out_.sort(x, dim, descending);
  }
  Tensor fourier(Fourier kind, const Tensor& x, const Shape& lengths) override;
  bool rewrites() const override { return out_.rewrites(); }
  bool is_bound(const Tensor& x) const override {
    if (!is_complex(x.type)) return out_.is_bound(x);
    return out_.is_bound(parts(x).real) && out_.is_bound(parts(x).imag);
  }

 private:
  struct Parts {
    Tensor real;
    Tensor imag;
  };

  const Parts& parts(const Tensor& x) const { return parts_[static_cast<std::size_t>(x.id)]; }
  Tensor pair(Parts made) {
    const Type type = made.real.type == Type::kF64 ? Type::kC128 : Type::kC64;
    const Tensor tensor = {static_cast<std::int32_t>(parts_.size()), type, made.real.shape};
    parts_.push_back(std::move(made));
    return tensor;
  }
  template <typename Function>
  Tensor each_part(const Tensor& x, const Function& function) {
    if (!is_complex(x.type)) return function(x);
    const Parts given = parts(x);
    return pair({function(given.real), function(given.imag)});
  }
  bool is_zero(const Tensor& part) const {
    const auto* splat = std::get_if<Splat>(&out_.maker(part).operation);
    return splat != nullptr && splat->value == 0;
  }

  Parts multiplied(const Parts& a, const Parts& b);
  Parts transform(const Parts& x, const Direction& direction);
  /// The first `count` results.
  Parts transform_by_product(const Parts& x, const Direction& direction, std::int64_t count);
  Parts transform_in_two(const Parts& x, const Direction& direction, std::int64_t first);
  Tensor real_inverse(const Parts& x, std::int64_t length);

  GraphEmitter out_;
  Builder b_{out_};
  std::vector<Parts> parts_;
};

Tensor RealParts::parameter(const Parameter& each, const TensorType& type) {
  if (!is_complex(type.type)) return out_.parameter(each.source, each.index, type);
  const std::int64_t last = static_cast<std::int64_t>(type.shape.size());
  const Tensor both =
      out_.parameter(each.source, each.index, {part_type(type.type), joined(type.shape, {2})});
  const auto part = [&](std::int64_t at) {
    return out_.reshape(b_.slice(both, last, at, at + 1), type.shape);
  };
  return pair({part(0), part(1)});
}

Graph RealParts::finish(const std::vector<Tensor>& outputs) {
  std::vector<Tensor> written;
  for (const Tensor& output : outputs) {
    if (!is_complex(output.type)) {
      written.push_back(output);
      continue;
    }
    const Shape one = joined(output.shape, {1});
    const Parts made = parts(output);
    written.push_back(out_.concatenate({out_.reshape(made.real, one), out_.reshape(made.imag, one)},
                                       output.rank()));
  }
  return out_.finish(written);
}

Tensor RealParts::constant(Type type, const Shape& shape, const SharedBytes& bytes) {
  if (!is_complex(type)) return out_.constant(type, shape, bytes);
  const Type part = part_type(type);
  const auto size = static_cast<std::size_t>(bytes_of(part));
  std::string real;
  std::string imag;
  for (std::size_t at = 0; at < bytes.size(); at += 2 * size) {
    real += bytes.view().substr(at, size);
    imag += bytes.view().substr(at + size, size);
  }
  return pair({out_.constant(part, shape, SharedBytes(real)),
               out_.constant(part, shape, SharedBytes(imag))});
}

// Of a complex number as a real one ATen drops the imaginary part.
Tensor RealParts::convert(const Tensor& x, Type type) {
  if (!is_complex(x.type) && !is_complex(type)) return out_.convert(x, type);
  if (!is_complex(type)) {
    if (type == Type::kBool) refuse("a truth value");
    return b_.convert(parts(x).real, type);
  }
  const Type part = part_type(type);
  if (!is_complex(x.type)) return pair({b_.convert(x, part), out_.splat(part, x.shape, 0)});
  return each_part(x, [&](const Tensor& each) { return b_.convert(each, part); });
}

Tensor RealParts::unary(Unary kind, const Tensor& x) {
  if (!is_complex(x.type)) return out_.unary(kind, x);
  const Parts given = parts(x);
  if (kind == Unary::kReal) return given.real;
  if (kind == Unary::kImag) return given.imag;
  if (kind == Unary::kNegate) {
    return pair({out_.unary(kind, given.real), out_.unary(kind, given.imag)});
  }
  if (kind != Unary::kExp) refuse("a function");
  const Tensor size = out_.unary(Unary::kExp, given.real);
  return pair({b_.multiply(size, out_.unary(Unary::kCos, given.imag)),
               b_.multiply(size, out_.unary(Unary::kSin, given.imag))});
}

RealParts::Parts RealParts::multiplied(const Parts& a, const Parts& b) {
  return {b_.subtract(b_.multiply(a.real, b.real), b_.multiply(a.imag, b.imag)),
          b_.add(b_.multiply(a.real, b.imag), b_.multiply(a.imag, b.real))};
}

Tensor RealParts::binary(Binary kind, const Tensor& a, const Tensor& b) {
  if (kind == Binary::kComplex) return pair({a, b});
  if (!is_complex(a.type)) return out_.binary(kind, a, b);
  const Parts left = parts(a);
  const Parts right = parts(b);
  if (kind == Binary::kMultiply) return pair(multiplied(left, right));
  if (kind != Binary::kAdd && kind != Binary::kSubtract) refuse("an operation");
  return pair({out_.binary(kind, left.real, right.real), out_.binary(kind, left.imag, right.imag)});
}

Tensor RealParts::compare(Comparison kind, const Tensor& a, const Tensor& b) {
  if (!is_complex(a.type)) return out_.compare(kind, a, b);
  if (kind != Comparison::kEq && kind != Comparison::kNe) refuse("the order");
  const Binary join = kind == Comparison::kEq ? Binary::kAnd : Binary::kOr;
  return out_.binary(join, out_.compare(kind, parts(a).real, parts(b).real),
                     out_.compare(kind, parts(a).imag, parts(b).imag));
}

Tensor RealParts::concatenate(const std::vector<Tensor>& list, std::int64_t dim) {
  if (!is_complex(list[0].type)) return out_.concatenate(list, dim);
  std::vector<Tensor> real;
  std::vector<Tensor> imag;
  for (const Tensor& each : list) {
    real.push_back(parts(each).real);
    imag.push_back(parts(each).imag);
  }
  return pair({out_.concatenate(real, dim), out_.concatenate(imag, dim)});
}

// ---- Fourier transforms, along the last dimension ----

/// Row k, column j: of the angle k * j / length of a turn.
std::vector<double> turns(std::int64_t rows, std::int64_t columns, std::int64_t length,
                          double (*function)(double), double factor) {
  std::vector<double> table;
  for (std::int64_t k = 0; k < rows; ++k) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const auto part = static_cast<double>(k * j % length) / static_cast<double>(length);
      table.push_back(factor * function(2 * std::acos(-1.0) * part));
    }
  }
  return table;
}

RealParts::Parts RealParts::transform_by_product(const Parts& x, const Direction& direction,
                                                 std::int64_t count) {
  const std::int64_t n = direction.length;
  if (n > kLongestMatrix) {
    throw LoweringError("a Fourier transform of length " + std::to_string(n) +
                        ", which has no factors");
  }
  const std::int64_t last = x.real.rank() - 1;
  const std::vector<double> cosines = turns(count, n, n, std::cos, 1);
  const std::vector<double> sines = turns(count, n, n, std::sin, direction.sign);
  const Tensor real = b_.apply_matrix(x.real, last, cosines, count);
  const Tensor imag = b_.apply_matrix(x.real, last, sines, count);
  if (is_zero(x.imag)) return {real, imag};
  return {b_.subtract(real, b_.apply_matrix(x.imag, last, sines, count)),
          b_.add(imag, b_.apply_matrix(x.imag, last, cosines, count))};
}

// Element j = j1 * second + j2 adds to k = k1 + first * k2 at the angle
// j2 * k1 / length + j1 * k1 / first + j2 * k2 / second, whole turns left out.
RealParts::Parts RealParts::transform_in_two(const Parts& x, const Direction& direction,
                                             std::int64_t first) {
  const std::int64_t second = direction.length / first;
  const Shape whole = x.real.shape;
  const Shape outer(whole.begin(), whole.end() - 1);
  const auto both = [&](const Parts& given, const auto& function) {
    return Parts{function(given.real), function(given.imag)};
  };
  const auto swapped = [&](const Tensor& part) { return b_.swap(part, -1, -2); };
  const Parts columns = both(x, [&](const Tensor& part) {
    return swapped(out_.reshape(part, joined(outer, {first, second})));
  });                                                                 // [..., j2, j1]
  const Parts partial = transform(columns, {direction.sign, first});  // [..., j2, k1]
  const Shape grid = {second, first};
  const auto factor = [&](double (*function)(double), double sign) {
    const std::vector<double> table = turns(second, first, direction.length, function, sign);
    const Tensor known = b_.convert(out_.constant(Type::kF64, grid, table.data()), x.real.type);
    return b_.expand(known, partial.real.shape);
  };
  const Parts turned = multiplied(partial, {factor(std::cos, 1), factor(std::sin, direction.sign)});
  const Parts rows = transform(both(turned, swapped), {direction.sign, second});  // [..., k1, k2]
  return both(rows, [&](const Tensor& part) { return out_.reshape(swapped(part), whole); });
}

RealParts::Parts RealParts::transform(const Parts& x, const Direction& direction) {
  const std::int64_t first = first_factor(direction.length);
  return first > 1 ? transform_in_two(x, direction, first)
                   : transform_by_product(x, direction, direction.length);
}

// What is not given are the conjugates of what is.
Tensor RealParts::real_inverse(const Parts& x, std::int64_t length) {
  const std::int64_t last = x.real.rank() - 1;
  const auto mirrored = [&](const Tensor& part) {
    return out_.reverse(b_.slice(part, last, 1, (length - 1) / 2 + 1), {last});
  };
  const Parts whole = {
      out_.concatenate({x.real, mirrored(x.real)}, last),
      out_.concatenate({x.imag, out_.unary(Unary::kNegate, mirrored(x.imag))}, last)};
  return b_.multiply(transform(whole, {1, length}).real, 1 / static_cast<double>(length));
}

Tensor RealParts::fourier(Fourier kind, const Tensor& x, const Shape& lengths) {
  if (lengths.size() != 1) throw LoweringError("a Fourier transform of several dimensions at once");
  const std::int64_t n = lengths[0];
  switch (kind) {
    case Fourier::kForward:
      return pair(transform(parts(x), {-1, n}));
    case Fourier::kInverse: {
      const double scale = 1 / static_cast<double>(n);
      const Parts made = transform(parts(x), {1, n});
      return pair({b_.multiply(made.real, scale), b_.multiply(made.imag, scale)});
    }
    case Fourier::kRealForward: {
      const std::int64_t count = n / 2 + 1;
      const std::int64_t last = x.rank() - 1;
      const Parts given = {x, out_.splat(x.type, x.shape, 0)};
      if (first_factor(n) == 1) return pair(transform_by_product(given, {-1, n}, count));
      const Parts made = transform(given, {-1, n});
      return pair({b_.slice(made.real, last, 0, count), b_.slice(made.imag, last, 0, count)});
    }
    case Fourier::kRealInverse:
      return real_inverse(parts(x), n);
  }
  throw LoweringError("a Fourier transform that is not known");
}

bool has_complex_values(const Graph& graph) {
  return std::any_of(graph.values.begin(), graph.values.end(),
                     [](const Value& value) { return is_complex(value.type.type); });
}

}  // namespace

Built with_real_parts(const Graph& graph) {
  if (!has_complex_values(graph)) return {graph, {}};
  RealParts emitter(/*rewrites=*/false);
  Lowered lowered = replay(graph, emitter, [&](const Parameter& each, const TensorType& type) {
    return emitter.parameter(each, type);
  });
  if (!lowered.failures.empty()) return {{}, std::move(lowered.failures)};
  return {emitter.finish(lowered.outputs), {}};
}

}  // namespace graphnet::lowering::ir
