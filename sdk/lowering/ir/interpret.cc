// SPDX-License-Identifier: MIT
#include "lowering/ir/interpret.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "lowering/builder.h"
#include "lowering/ir/arithmetic.h"
#include "lowering/ir/interpret_rewrites.h"

namespace graphnet::lowering::ir {

namespace {

using Arrays = std::vector<Array>;

std::size_t at(std::int64_t position) {
  return static_cast<std::size_t>(position);
}

std::int64_t offset(const Shape& index, const Shape& strides) {
  return std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
}

Shape selected(const Shape& from, const Shape& dims) {
  Shape result;
  for (const std::int64_t dim : dims) result.push_back(from[at(dim)]);
  return result;
}

/// The results of one node.
class Evaluation {
 public:
  Evaluation(const std::vector<const Array*>& operands, const std::vector<TensorType>& results)
      : in_(operands), out_(results) {}

  Arrays operator()(const Parameter&) const { throw LoweringError("a parameter has no value"); }
  Arrays operator()(const Composite& each) const {
    if (!each.body) throw LoweringError(each.why_not);
    Arguments inputs;
    for (const Array* operand : in_) inputs.inputs.push_back(*operand);
    return interpret(*each.body, inputs);
  }

  // ---- element by element ----

  Arrays operator()(const Constant& each) const { return {read_array(out_[0], each.bytes.data())}; }
  Arrays operator()(const Splat& each) const {
    return pointwise([&](std::size_t) { return converted(out_[0].type, each.value); });
  }
  Arrays operator()(const Iota& each) const {
    return each_index([&](const Shape& i) { return static_cast<long double>(i[at(each.dim)]); });
  }
  Arrays operator()(const Convert&) const {
    const Type type = out_[0].type;
    if (is_complex(type_in(0)) && !is_complex(type)) {
      throw LoweringError("the interpreter has no conversion of complex numbers to real ones");
    }
    const bool is_saturated = is_float(type_in(0)) && !is_float(type) && !is_complex(type);
    return pointwise(
        [&](std::size_t i) { return is_saturated ? converted(type, x(0, i).real()) : x(0, i); });
  }
  Arrays operator()(const UnaryOperation& each) const {
    return pointwise([&](std::size_t i) { return apply(each.kind, type_in(0), x(0, i)); });
  }
  Arrays operator()(const BinaryOperation& each) const {
    return pointwise([&](std::size_t i) { return apply(each.kind, type_in(0), x(0, i), x(1, i)); });
  }
  Arrays operator()(const CompareOperation& each) const {
    return pointwise([&](std::size_t i) -> Number {
      return holds(each.kind, type_in(0), x(0, i), x(1, i)) ? 1 : 0;
    });
  }
  Arrays operator()(const Select&) const {
    return pointwise([&](std::size_t i) { return x(x(0, i).real() != 0 ? 1 : 2, i); });
  }

  // ---- elements from elsewhere ----

  Arrays operator()(const Reshape&) const { return {{out_[0], in_[0]->elements}}; }
  Arrays operator()(const Broadcast& each) const { return walked(each); }
  Arrays operator()(const Transpose& each) const { return walked(each); }
  Arrays operator()(const Slice& each) const { return walked(each); }
  Arrays operator()(const Reverse& each) const { return walked(each); }
  Arrays operator()(const Pad& each) const {
    const Shape strides = strides_in(0);
    return each_index([&](const Shape& index) {
      std::int64_t source = 0;
      for (std::size_t d = 0; d < index.size(); ++d) {
        const std::int64_t position =
            position_in(0, d, index[d] - each.low[d], each.interior[d] + 1);
        if (position < 0) return converted(out_[0].type, each.value);
        source += position * strides[d];
      }
      return x(0, at(source));
    });
  }
  Arrays operator()(const Concatenate& each) const {
    return each_index([&](const Shape& index) {
      Shape from = index;
      std::size_t part = 0;
      while (from[at(each.dim)] >= shape_in(part)[at(each.dim)]) {
        from[at(each.dim)] -= shape_in(part++)[at(each.dim)];
      }
      return x(part, at(offset(from, strides_in(part))));
    });
  }
  Arrays operator()(const Gather& each) const {
    const Shape rest = without_dims(counting(rank_in(0)), each.dims);
    const Shape strides = strides_in(0);
    return each_index([&](const Shape& index) {
      const auto batch = index.begin() + each.batch_position;
      const auto batch_end = batch + rank_in(1) - 1;
      std::int64_t source = started({batch, batch_end}, each.dims);
      Shape kept(index.begin(), batch);
      kept.insert(kept.end(), batch_end, index.end());
      return x(0, at(source + offset(kept, selected(strides, rest))));
    });
  }
  Arrays operator()(const Scatter& each) const {
    const Shape rest = without_dims(counting(rank_in(0)), each.dims);
    const Shape strides = selected(strides_in(0), rest);
    Array result = *in_[0];
    std::size_t next = 0;
    for_each_index(shape_in(2), [&](const Shape& index) {
      const auto batch_end = index.begin() + rank_in(1) - 1;
      const std::int64_t target = started({index.begin(), batch_end}, each.dims) +
                                  offset({batch_end, index.end()}, strides);
      Number& old = result.elements.at(at(target));
      const Number value = x(2, next++);
      old = each.combine ? rounded(out_[0].type, combined(*each.combine, out_[0].type, old, value))
                         : value;
    });
    return {std::move(result)};
  }

  // ---- elements from many: sums over taps ----

  Arrays operator()(const Reduce& each) const {
    const Shape kept = selected(strides_in(0), without_dims(counting(rank_in(0)), each.dims));
    const Shape strides = selected(strides_in(0), each.dims);
    return sums(each.kind, selected(shape_in(0), each.dims), [&](const Shape& i, const Shape& k) {
      return Pair{offset(i, kept) + offset(k, strides)};
    });
  }
  Arrays operator()(const ReduceWindow& each) const {
    const Window& w = each.window;
    const Shape strides = strides_in(0);
    return sums(each.kind, w.size, [&](const Shape& i, const Shape& k) {
      std::int64_t source = 0;
      for (std::size_t d = 0; d < k.size(); ++d) {
        const std::int64_t position =
            position_in(0, d, i[d] * w.stride[d] + k[d] * w.dilation[d] - w.low[d], 1);
        if (position < 0) return Pair{};
        source += position * strides[d];
      }
      return Pair{source};
    });
  }
  Arrays operator()(const Dot& each) const {
    const Contraction& c = each.contraction;
    const auto free_dims = [this](std::size_t operand, Shape used, const Shape& contracting) {
      used.insert(used.end(), contracting.begin(), contracting.end());
      return without_dims(counting(rank_in(operand)), used);
    };
    const Shape left = selected(strides_in(0), free_dims(0, c.left_batch, c.left_contracting));
    const Shape right = selected(strides_in(1), free_dims(1, c.right_batch, c.right_contracting));
    // Strides of the result's dimensions in each operand.
    Shape left_steps = selected(strides_in(0), c.left_batch);
    Shape right_steps = selected(strides_in(1), c.right_batch);
    left_steps.insert(left_steps.end(), left.begin(), left.end());
    right_steps.insert(right_steps.end(), left.size(), 0);
    left_steps.insert(left_steps.end(), right.size(), 0);
    right_steps.insert(right_steps.end(), right.begin(), right.end());
    const Shape left_taps = selected(strides_in(0), c.left_contracting);
    const Shape right_taps = selected(strides_in(1), c.right_contracting);
    return sums(Reduction::kSum, selected(shape_in(0), c.left_contracting),
                [&](const Shape& i, const Shape& k) {
                  return Pair{offset(i, left_steps) + offset(k, left_taps),
                              offset(i, right_steps) + offset(k, right_taps)};
                });
  }
  Arrays operator()(const PackedDot&) const {
    const std::int64_t lanes = shape_in(1)[3];
    return sums(Reduction::kSum, {shape_in(0)[2]}, [&](const Shape& i, const Shape& k) {
      return Pair{offset({i[0], i[1], k[0]}, strides_in(0)),
                  offset({i[0], i[2] / lanes, k[0], i[2] % lanes}, strides_in(1))};
    });
  }
  Arrays operator()(const PairedDot&) const {
    const std::int64_t lanes = shape_in(1)[3];
    return sums(Reduction::kSum, {shape_in(0)[2]}, [&](const Shape& i, const Shape& k) {
      return Pair{offset({i[0], i[1], k[0]}, strides_in(0)),
                  offset({i[0], i[2] / lanes, k[0] / 2, i[2] % lanes, k[0] % 2}, strides_in(1))};
    });
  }
  Arrays operator()(const Convolution& each) const {
    const Shape taps = out_of_layout(shape_in(1), each.kernel_layout);
    const Shape kernel_strides = out_of_layout(strides_in(1), each.kernel_layout);
    return convolved(each.window, each.layout, taps, [&](std::int64_t out, const Shape& k) {
      return out * kernel_strides[0] +
             offset(k, {kernel_strides.begin() + 1, kernel_strides.end()});
    });
  }
  Arrays operator()(const WinogradInput& each) const {
    return {winograd_input(each, *in_[0], out_[0])};
  }
  Arrays operator()(const WinogradKernel& each) const {
    return {winograd_kernel(each, *in_[0], out_[0])};
  }
  Arrays operator()(const WinogradOutput& each) const {
    return {winograd_output(each, *in_[0], out_[0])};
  }
  Arrays operator()(const Attention& each) const { return {attention(each, in_, out_[0])}; }
  Arrays operator()(const PackedConvolution& each) const {
    const Shape& panels = shape_in(1);
    const std::int64_t lanes = panels.back();
    Shape taps = {each.out, panels[panels.size() - 2]};
    taps.insert(taps.end(), panels.begin() + 1, panels.end() - 2);
    const Shape zeros(each.stride.size(), 0);
    const ConvolutionAttributes window = {
        each.stride, zeros, zeros, Shape(zeros.size(), 1), each.kernel_dilation, each.groups};
    Shape last = without_dims(counting(rank_in(0)), {1});
    last.push_back(1);
    return convolved(window, last, taps, [&](std::int64_t out, const Shape& k) {
      Shape position = {out / lanes};
      position.insert(position.end(), k.begin() + 1, k.end());
      position.insert(position.end(), {k[0], out % lanes});
      return offset(position, strides_in(1));
    });
  }
  Arrays operator()(const FourierTransform& each) const {
    const std::size_t first = out_[0].shape.size() - each.lengths.size();
    const bool is_inverse = each.kind == Fourier::kInverse || each.kind == Fourier::kRealInverse;
    const Shape strides = strides_in(0);
    return each_index([&](const Shape& index) {
      Number sum = 0;
      for_each_index(each.lengths, [&](const Shape& n) {
        // Half of what a real transform gives is kept; the rest are conjugates.
        const bool is_mirrored =
            each.kind == Fourier::kRealInverse && n.back() > each.lengths.back() / 2;
        Shape from = index;
        long double turns = 0;
        for (std::size_t d = 0; d < n.size(); ++d) {
          const std::int64_t length = each.lengths[d];
          from[first + d] = is_mirrored ? (length - n[d]) % length : n[d];
          turns += static_cast<long double>(index[first + d] * n[d] % length) /
                   static_cast<long double>(length);
        }
        const Number value = x(0, at(offset(from, strides)));
        const long double angle = (is_inverse ? 2 : -2) * std::acos(-1.0L) * turns;
        sum += (is_mirrored ? std::conj(value) : value) * std::polar(1.0L, angle);
      });
      if (is_inverse) sum /= static_cast<long double>(num_elements(each.lengths));
      return each.kind == Fourier::kRealInverse ? Number(sum.real()) : sum;
    });
  }

  // ---- order ----

  Arrays operator()(const Sort& each) const {
    return sorted(each.dim, each.descending, shape_in(0)[at(each.dim)], each.descending);
  }
  Arrays operator()(const ReduceIndex& each) const {
    return sorted(each.dim, each.largest, 1, /*nan_leads=*/true);
  }

 private:
  /// Positions in the operands of a product, or in one operand; negative: nothing.
  struct Pair {
    std::int64_t left = -1;
    std::int64_t right = -1;
  };

  Number x(std::size_t operand, std::size_t position) const {
    return in_[operand]->elements[position];
  }
  Type type_in(std::size_t operand) const { return in_[operand]->type.type; }
  const Shape& shape_in(std::size_t operand) const { return in_[operand]->type.shape; }
  std::int64_t rank_in(std::size_t operand) const { return in_[operand]->type.rank(); }
  Shape strides_in(std::size_t operand) const { return strides_of(shape_in(operand)); }

  static Number converted(Type type, long double value) {
    if (is_float(type) || is_complex(type)) return value;
    return static_cast<long double>(to_integer(type, value));
  }

  template <typename Element>
  Arrays pointwise(Element element) const {
    Array result = {out_[0], {}};
    const std::size_t count = at(num_elements(out_[0].shape));
    for (std::size_t i = 0; i < count; ++i) result.elements.push_back(element(i));
    return {std::move(result)};
  }
  template <typename Element>
  Arrays each_index(Element element) const {
    Array result = {out_[0], {}};
    for_each_index(out_[0].shape,
                   [&](const Shape& index) { result.elements.push_back(element(index)); });
    return {std::move(result)};
  }

  template <typename View>
  Arrays walked(const View& view) const {
    const Walk walk = walk_of(view, shape_in(0), out_[0].shape);
    return each_index(
        [&](const Shape& index) { return x(0, at(walk.first + offset(index, walk.strides))); });
  }

  /// Position along a dimension whose neighbours are `spacing` apart; negative if none is there.
  std::int64_t position_in(std::size_t operand, std::size_t dim, std::int64_t position,
                           std::int64_t spacing) const {
    const bool is_there =
        position >= 0 && position % spacing == 0 && position / spacing < shape_in(operand)[dim];
    return is_there ? position / spacing : -1;
  }

  /// What operand 1 says for a batch: where its coordinates along `dims` lead in operand 0.
  std::int64_t started(Shape batch, const Shape& dims) const {
    batch.push_back(0);
    const std::int64_t first = offset(batch, strides_in(1));
    std::int64_t source = 0;
    for (std::size_t k = 0; k < dims.size(); ++k) {
      source += static_cast<std::int64_t>(x(1, at(first) + k).real()) * strides_in(0)[at(dims[k])];
    }
    return source;
  }

  /// Over all taps: an element of operand 0, or its product with one of operand 1.
  template <typename Places>
  Arrays sums(Reduction kind, const Shape& taps, Places places) const {
    const Type type = out_[0].type;
    const Number first = converted(type, lowering::identity_of(kind, type));
    return each_index([&](const Shape& index) {
      Number sum = first;
      for_each_index(taps, [&](const Shape& tap) {
        const Pair pair = places(index, tap);
        if (pair.left < 0) return;
        Number value = x(0, at(pair.left));
        if (pair.right >= 0) value = apply(Binary::kMultiply, type, value, x(1, at(pair.right)));
        sum = combined(kind, type, sum, value);
      });
      return sum;
    });
  }

  /// weight(output channel, tap): position in operand 1 of a kernel [out, in, positions...].
  template <typename Weight>
  Arrays convolved(const ConvolutionAttributes& w, const Shape& layout, const Shape& kernel,
                   Weight weight) const {
    const Shape shape = out_of_layout(shape_in(0), layout);
    const Shape strides = out_of_layout(strides_in(0), layout);
    const std::int64_t out_per_group = kernel[0] / w.groups;
    return sums(Reduction::kSum, {kernel.begin() + 1, kernel.end()},
                [&](const Shape& memory, const Shape& k) {
                  const Shape i = out_of_layout(memory, layout);
                  const std::int64_t channel = i[1] / out_per_group * kernel[1] + k[0];
                  std::int64_t source = i[0] * strides[0] + channel * strides[1];
                  for (std::size_t d = 0; d + 2 < shape.size(); ++d) {
                    const std::int64_t spread =
                        i[d + 2] * w.stride[d] + k[d + 1] * w.kernel_dilation[d] - w.low[d];
                    const std::int64_t step = w.input_dilation[d];
                    if (spread < 0 || spread % step != 0 || spread / step >= shape[d + 2]) {
                      return Pair{};
                    }
                    source += spread / step * strides[d + 2];
                  }
                  return Pair{source, weight(i[1], k)};
                });
  }

  /// The first `kept` of each line along a dimension, and where they were.
  Arrays sorted(std::int64_t dim, bool descending, std::int64_t kept, bool nan_leads) const {
    if (is_complex(type_in(0))) throw LoweringError("complex numbers have no order");
    Shape shape = shape_in(0);
    const Shape strides = strides_of(shape);
    const Shape lines = counting(std::exchange(shape[at(dim)], kept));
    const Shape result_strides = strides_of(shape);
    Array values = {out_[0], std::vector<Number>(at(num_elements(shape)))};
    Array indices = {out_[1], values.elements};
    shape[at(dim)] = 1;
    for_each_index(shape, [&](const Shape& index) {
      const auto value = [&](std::int64_t i) {
        return x(0, at(offset(index, strides) + i * strides[at(dim)])).real();
      };
      Shape order = lines;
      std::stable_sort(order.begin(), order.end(), [&](std::int64_t a, std::int64_t b) {
        const bool a_is_nan = std::isnan(value(a));
        const bool b_is_nan = std::isnan(value(b));
        if (a_is_nan || b_is_nan) return a_is_nan != b_is_nan && a_is_nan == nan_leads;
        return descending ? value(a) > value(b) : value(a) < value(b);
      });
      for (std::int64_t i = 0; i < kept; ++i) {
        const std::size_t to = at(offset(index, result_strides) + i * result_strides[at(dim)]);
        values.elements[to] = value(order[at(i)]);
        indices.elements[to] = static_cast<long double>(order[at(i)]);
      }
    });
    return {std::move(values), std::move(indices)};
  }

  const std::vector<const Array*>& in_;
  const std::vector<TensorType>& out_;
};

const Array& argument(const Parameter& parameter, const Arguments& arguments) {
  const std::array<const Arrays*, 3> sources = {&arguments.inputs, &arguments.weights,
                                                &arguments.bound};
  const Arrays& source = *sources[static_cast<std::size_t>(parameter.source)];
  if (at(parameter.index) >= source.size()) throw LoweringError("a parameter is missing");
  return source[at(parameter.index)];
}

}  // namespace

std::vector<Array> evaluate(const Operation& operation, const std::vector<const Array*>& operands,
                            const std::vector<TensorType>& types) {
  Arrays results = std::visit(Evaluation(operands, types), operation);
  for (Array& result : results) {
    for (Number& each : result.elements) each = rounded(result.type.type, each);
  }
  return results;
}

std::vector<Array> interpret(const Graph& graph, const Arguments& arguments) {
  std::vector<Array> values(graph.values.size());
  for (const Node& node : graph.nodes) {
    if (const auto* parameter = std::get_if<Parameter>(&node.operation)) {
      values[at(node.results[0])] = argument(*parameter, arguments);
      continue;
    }
    std::vector<const Array*> operands;
    for (const ValueId id : node.operands) operands.push_back(&values[at(id)]);
    std::vector<TensorType> types;
    for (const ValueId id : node.results) types.push_back(graph.type(id));
    Arrays results = evaluate(node.operation, operands, types);
    for (std::size_t i = 0; i < results.size(); ++i) {
      values[at(node.results[i])] = std::move(results[i]);
    }
  }
  std::vector<Array> outputs;
  for (const ValueId id : graph.outputs) outputs.push_back(values[at(id)]);
  return outputs;
}

}  // namespace graphnet::lowering::ir
