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
// A matrix of this many rows and columns takes 64 MiB in float32, and there are two.
constexpr std::int64_t kLongestMatrix = 4096;

[[noreturn]] void refuse(const char* what) {
  throw LoweringError(std::string(what) + " of complex numbers, which the compiler does not have");
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

bool has_complex_values(const Graph& graph) {
  return std::any_of(graph.values.begin(), graph.values.end(),
                     [](const Value& value) { return is_complex(value.type.type); });
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
    const Tensor real = out_.pad(parts(x).real, value, low, high, interior);
    return pair({real, is_zero(parts(x).imag) ? out_.splat(real.type, real.shape, 0)
                                              : out_.pad(parts(x).imag, 0, low, high, interior)});
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
  std::optional<std::vector<Tensor>> composite(const Composite& each,
                                               const std::vector<Tensor>& operands) override;
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
    return pair(moved(parts(x), function));
  }
  /// What moves or adds elements, done to both parts; an imaginary part that is zero stays a splat,
  /// which transforms leave out.
  template <typename Function>
  Parts moved(const Parts& x, const Function& function) {
    const Tensor real = function(x.real);
    return {real, is_zero(x.imag) ? out_.splat(real.type, real.shape, 0) : function(x.imag)};
  }
  bool is_zero(const Tensor& part) const {
    const auto* splat = std::get_if<Splat>(&out_.maker(part).operation);
    return splat != nullptr && splat->value == 0;
  }

  Parts multiplied(const Parts& a, const Parts& b);
  /// A table of numbers by row and column.
  Tensor known(Type type, const Shape& shape, const std::vector<double>& table);
  /// The last dimension of x times a matrix [results, elements].
  Tensor product(const Tensor& x, const Tensor& matrix) {
    return out_.dot(x, matrix, {{}, {}, {x.rank() - 1}, {1}});
  }
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

// One without a body may be a compiler's own operator, or it fails there.
std::optional<std::vector<Tensor>> RealParts::composite(const Composite& each,
                                                        const std::vector<Tensor>& operands) {
  const auto is_pair = [](const auto& value) { return is_complex(value.type); };
  const bool has_pairs = std::any_of(operands.begin(), operands.end(), is_pair) ||
                         std::any_of(each.results.begin(), each.results.end(), is_pair) ||
                         (each.body && has_complex_values(*each.body));
  if (has_pairs) return std::nullopt;
  return out_.add(each, operands);
}

// ---- Fourier transforms, along the last dimension ----

/// Row k, column j: of the angle k * j / length of a turn.
std::vector<double> turns(const Shape& shape, std::int64_t length, double (*function)(double),
                          double factor) {
  std::vector<double> table;
  table.reserve(static_cast<std::size_t>(num_elements(shape)));
  for (std::int64_t k = 0; k < shape[0]; ++k) {
    for (std::int64_t j = 0; j < shape[1]; ++j) {
      const auto part = static_cast<double>(k * j % length) / static_cast<double>(length);
      table.push_back(factor * function(2 * std::acos(-1.0) * part));
    }
  }
  return table;
}

void check_matrix(std::int64_t length) {
  if (length <= kLongestMatrix) return;
  throw LoweringError("a Fourier transform with the prime factor " + std::to_string(length));
}

Tensor RealParts::known(Type type, const Shape& shape, const std::vector<double>& table) {
  if (type == Type::kF64) return out_.constant(type, shape, table.data());
  const std::vector<float> rounded(table.begin(), table.end());
  return out_.constant(type, shape, rounded.data());
}

RealParts::Parts RealParts::transform_by_product(const Parts& x, const Direction& direction,
                                                 std::int64_t count) {
  const std::int64_t n = direction.length;
  check_matrix(n);
  const Shape shape = {count, n};
  const Tensor cosines = known(x.real.type, shape, turns(shape, n, std::cos, 1));
  const Tensor sines = known(x.real.type, shape, turns(shape, n, std::sin, direction.sign));
  const Tensor real = product(x.real, cosines);
  const Tensor imag = product(x.real, sines);
  if (is_zero(x.imag)) return {real, imag};
  return {b_.subtract(real, product(x.imag, sines)), b_.add(imag, product(x.imag, cosines))};
}

// Element j = j1 * second + j2 adds to k = k1 + first * k2 at the angle
// j2 * k1 / length + j1 * k1 / first + j2 * k2 / second, whole turns left out.
RealParts::Parts RealParts::transform_in_two(const Parts& x, const Direction& direction,
                                             std::int64_t first) {
  const std::int64_t second = direction.length / first;
  const Shape whole = x.real.shape;
  const Shape outer(whole.begin(), whole.end() - 1);
  const auto swapped = [&](const Tensor& part) { return b_.swap(part, -1, -2); };
  const Parts columns = moved(x, [&](const Tensor& part) {
    return swapped(out_.reshape(part, joined(outer, {first, second})));
  });                                                                 // [..., j2, j1]
  const Parts partial = transform(columns, {direction.sign, first});  // [..., j2, k1]
  const Shape grid = {second, first};
  const auto factor = [&](double (*function)(double), double sign) {
    const std::vector<double> table = turns(grid, direction.length, function, sign);
    return b_.expand(known(x.real.type, grid, table), partial.real.shape);
  };
  const Parts turned = multiplied(partial, {factor(std::cos, 1), factor(std::sin, direction.sign)});
  const Parts rows = transform(moved(turned, swapped), {direction.sign, second});  // [..., k1, k2]
  return moved(rows, [&](const Tensor& part) { return out_.reshape(swapped(part), whole); });
}

RealParts::Parts RealParts::transform(const Parts& x, const Direction& direction) {
  const std::int64_t first = first_factor(direction.length);
  return first > 1 ? transform_in_two(x, direction, first)
                   : transform_by_product(x, direction, direction.length);
}

// What is not given are the conjugates of what is: each given number counts twice, but for the
// first and, if the length is even, the last.
Tensor RealParts::real_inverse(const Parts& x, std::int64_t length) {
  const double scale = 1 / static_cast<double>(length);
  if (first_factor(length) == 1) {
    check_matrix(length);
    const Shape shape = {length, length / 2 + 1};
    std::vector<double> cosines = turns(shape, length, std::cos, 2 * scale);
    for (std::int64_t i = 0; i < length; ++i) {
      const auto row = static_cast<std::size_t>(i * shape[1]);
      cosines[row] /= 2;
      if (length % 2 == 0) cosines[row + static_cast<std::size_t>(length / 2)] /= 2;
    }
    const Tensor sines = known(x.real.type, shape, turns(shape, length, std::sin, 2 * scale));
    return b_.subtract(product(x.real, known(x.real.type, shape, cosines)), product(x.imag, sines));
  }
  const std::int64_t last = x.real.rank() - 1;
  const auto mirrored = [&](const Tensor& part) {
    return out_.reverse(b_.slice(part, last, 1, (length - 1) / 2 + 1), {last});
  };
  const Parts whole = {
      out_.concatenate({x.real, mirrored(x.real)}, last),
      out_.concatenate({x.imag, out_.unary(Unary::kNegate, mirrored(x.imag))}, last)};
  return b_.multiply(transform(whole, {1, length}).real, scale);
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
