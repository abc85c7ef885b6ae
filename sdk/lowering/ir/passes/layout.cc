// SPDX-License-Identifier: MIT
#include "lowering/ir/passes/layout.h"

#include <algorithm>
#include <utility>

#include "lowering/builder.h"
#include "lowering/ir/passes/fold.h"
#include "lowering/ir/passes/reshaped_layout.h"
#include "lowering/ir/replay.h"

namespace graphnet::lowering::ir {

namespace {

// An empty layout is the order itself.
Shape full_layout(const Tensor& x) {
  return x.layout.empty() ? counting(x.rank()) : x.layout;
}

Shape short_layout(const Shape& layout) {
  return std::is_sorted(layout.begin(), layout.end()) ? Shape() : layout;
}

/// As the graph that comes out knows it.
Tensor memory_of(const Tensor& x) {
  return {x.id, x.type, into_layout(x.shape, x.layout)};
}

/// A value of that graph with what its dimensions mean.
Tensor placed(const Tensor& memory, const Shape& shape, const Shape& layout) {
  return {memory.id, memory.type, shape, short_layout(layout)};
}

/// The result of an operation that keeps the dimensions of x.
Tensor like(const Tensor& memory, const Tensor& x) {
  return {memory.id, memory.type, out_of_layout(memory.shape, x.layout), x.layout};
}

/// Positions in memory of logical dimensions.
Shape dims_in_memory(const Tensor& x, const Shape& dims) {
  const Shape positions = memory_positions(x);
  Shape result;
  for (const std::int64_t dim : dims) result.push_back(positions[static_cast<std::size_t>(dim)]);
  return result;
}

}  // namespace

Shape memory_positions(const Tensor& x) {
  return out_of_layout(counting(x.rank()), x.layout);
}

Shape channels_last(std::int64_t rank) {
  Shape layout = {0};
  for (std::int64_t i = 2; i < rank; ++i) layout.push_back(i);
  layout.push_back(1);
  return layout;
}

Shape channels_second(std::int64_t rank) {
  return out_of_layout(counting(rank), channels_last(rank));
}

Shape taps_first(std::int64_t rank) {
  Shape layout;
  for (std::int64_t i = 2; i < rank; ++i) layout.push_back(i);
  layout.insert(layout.end(), {1, 0});
  return layout;
}

Built rewrite(const Graph& graph, LayoutEmitter& target) {
  Lowered lowered = replay(graph, target, [&target](const Parameter& each, const TensorType& type) {
    return target.parameter(each.source, each.index, type);
  });
  if (!lowered.failures.empty()) return {{}, std::move(lowered.failures)};
  Graph written = target.finish(lowered.outputs);
  return {target.rewrites() ? fold(std::move(written)) : std::move(written), {}};
}

Graph LayoutEmitter::finish(const std::vector<Tensor>& outputs) {
  std::vector<Tensor> ordered;
  for (const Tensor& output : outputs) ordered.push_back(in_order(output));
  return out_.finish(ordered);
}

Tensor LayoutEmitter::relayout(const Tensor& x, const Shape& layout) {
  if (short_layout(x.layout) == short_layout(layout)) return x;
  Tensor wanted = x;
  wanted.layout = short_layout(layout);
  const Shape shape = into_layout(x.shape, wanted.layout);
  const Shape positions = memory_positions(wanted);
  const Node& maker = out_.maker(x);
  if (const auto* broadcast = std::get_if<Broadcast>(&maker.operation)) {
    Shape dims;
    for (const std::int64_t memory_dim : broadcast->dims) {
      const std::int64_t logical = full_layout(x)[static_cast<std::size_t>(memory_dim)];
      dims.push_back(positions[static_cast<std::size_t>(logical)]);
    }
    return placed(out_.broadcast(out_.tensor(maker.operands[0]), shape, dims), x.shape, layout);
  }
  if (const auto* splat = std::get_if<Splat>(&maker.operation)) {
    return placed(out_.splat(x.type, shape, splat->value), x.shape, layout);
  }
  const Shape permutation = dims_in_memory(x, full_layout(wanted));
  return placed(out_.transpose(memory_of(x), permutation), x.shape, layout);
}

// The layout that costs least to agree on: that of an operand which would have to be moved in every
// call.
Shape LayoutEmitter::shared_layout(const std::vector<Tensor>& operands) const {
  for (const Tensor& operand : operands) {
    if (!operand.layout.empty() && stage(operand) == Stage::kCall &&
        !std::holds_alternative<Broadcast>(out_.maker(operand).operation)) {
      return operand.layout;
    }
  }
  return {};
}

std::vector<Tensor> LayoutEmitter::aligned(const std::vector<Tensor>& operands) {
  const Shape layout = shared_layout(operands);
  std::vector<Tensor> result;
  for (const Tensor& operand : operands) result.push_back(relayout(operand, layout));
  return result;
}

// ---- leaves ----

Tensor LayoutEmitter::constant(Type type, const Shape& shape, const SharedBytes& bytes) {
  return out_.constant(type, shape, bytes);
}

Tensor LayoutEmitter::splat(Type type, const Shape& shape, double value) {
  return out_.splat(type, shape, value);
}

Tensor LayoutEmitter::iota(Type type, const Shape& shape, std::int64_t dim) {
  return out_.iota(type, shape, dim);
}

// ---- element by element ----

Tensor LayoutEmitter::convert(const Tensor& x, Type type) {
  return like(out_.convert(memory_of(x), type), x);
}

Tensor LayoutEmitter::unary(Unary kind, const Tensor& x) {
  return like(out_.unary(kind, memory_of(x)), x);
}

Tensor LayoutEmitter::binary(Binary kind, const Tensor& a, const Tensor& b) {
  const std::vector<Tensor> in = aligned({a, b});
  return like(out_.binary(kind, memory_of(in[0]), memory_of(in[1])), in[0]);
}

Tensor LayoutEmitter::compare(Comparison kind, const Tensor& a, const Tensor& b) {
  const std::vector<Tensor> in = aligned({a, b});
  return like(out_.compare(kind, memory_of(in[0]), memory_of(in[1])), in[0]);
}

Tensor LayoutEmitter::select(const Tensor& condition, const Tensor& yes, const Tensor& no) {
  const std::vector<Tensor> in = aligned({condition, yes, no});
  return like(out_.select(memory_of(in[0]), memory_of(in[1]), memory_of(in[2])), in[0]);
}

// ---- shape ----

Tensor LayoutEmitter::broadcast(const Tensor& x, const Shape& shape, const Shape& dims) {
  // Where the operand has a layout and every dimension, the result follows it.
  Tensor result = {-1, x.type, shape, {}};
  if (x.shape.size() == shape.size() && std::is_sorted(dims.begin(), dims.end())) {
    result.layout = x.layout;
  }
  const Shape positions = memory_positions(result);
  Shape memory_dims;
  for (const std::int64_t dim : full_layout(x)) {
    const std::int64_t logical = dims[static_cast<std::size_t>(dim)];
    memory_dims.push_back(positions[static_cast<std::size_t>(logical)]);
  }
  result.id = out_.broadcast(memory_of(x), into_layout(shape, result.layout), memory_dims).id;
  return result;
}

Tensor LayoutEmitter::reshape(const Tensor& x, const Shape& shape) {
  Tensor source = x;
  std::optional<Shape> layout;
  if (!x.layout.empty() && num_elements(shape) > 0) layout = reshaped_layout(x, shape);
  if (!layout) source = in_order(x);
  Tensor result = {-1, x.type, shape, layout ? short_layout(*layout) : Shape()};
  result.id = out_.reshape(memory_of(source), into_layout(shape, result.layout)).id;
  return result;
}

Tensor LayoutEmitter::transpose(const Tensor& x, const Shape& permutation) {
  Tensor result = x;
  Shape inverse(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    result.shape[i] = x.shape[static_cast<std::size_t>(permutation[i])];
    inverse[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
  }
  Shape layout;
  for (const std::int64_t dim : full_layout(x)) {
    layout.push_back(inverse[static_cast<std::size_t>(dim)]);
  }
  result.layout = short_layout(layout);
  return rewrites() ? result : in_order(result);
}

Tensor LayoutEmitter::slice(const Tensor& x, const Shape& begin, const Shape& end,
                            const Shape& step) {
  return like(out_.slice(memory_of(x), into_layout(begin, x.layout), into_layout(end, x.layout),
                         into_layout(step, x.layout)),
              x);
}

Tensor LayoutEmitter::pad(const Tensor& x, double value, const Shape& low, const Shape& high,
                          const Shape& interior) {
  return like(out_.pad(memory_of(x), value, into_layout(low, x.layout), into_layout(high, x.layout),
                       into_layout(interior, x.layout)),
              x);
}

Tensor LayoutEmitter::concatenate(const std::vector<Tensor>& parts, std::int64_t dim) {
  const std::vector<Tensor> in = aligned(parts);
  std::vector<Tensor> memories;
  for (const Tensor& part : in) memories.push_back(memory_of(part));
  return like(out_.concatenate(memories, dims_in_memory(in[0], {dim})[0]), in[0]);
}

Tensor LayoutEmitter::reverse(const Tensor& x, const Shape& dims) {
  return like(out_.reverse(memory_of(x), dims_in_memory(x, dims)), x);
}

// ---- reductions ----

Tensor LayoutEmitter::reduce(Reduction kind, const Tensor& x, const Shape& dims) {
  Shape memory_dims = dims_in_memory(x, dims);
  std::sort(memory_dims.begin(), memory_dims.end());
  const Tensor memory = out_.reduce(kind, memory_of(x), memory_dims);
  // What is left keeps its order in memory; dimensions are numbered anew.
  Shape layout;
  for (const std::int64_t dim : x.layout) {
    if (std::find(dims.begin(), dims.end(), dim) != dims.end()) continue;
    std::int64_t renumbered = dim;
    for (const std::int64_t dropped : dims) renumbered -= dropped < dim ? 1 : 0;
    layout.push_back(renumbered);
  }
  return placed(memory, without_dims(x.shape, dims), layout);
}

std::pair<Tensor, Tensor> LayoutEmitter::reduce_index(bool largest, const Tensor& x,
                                                      std::int64_t dim) {
  return out_.reduce_index(largest, memory_of(in_order(x)), dim);
}

Tensor LayoutEmitter::reduce_window(Reduction kind, const Tensor& x, const Window& window) {
  const Window memory = {into_layout(window.size, x.layout), into_layout(window.stride, x.layout),
                         into_layout(window.dilation, x.layout), into_layout(window.low, x.layout),
                         into_layout(window.high, x.layout)};
  return like(out_.reduce_window(kind, memory_of(x), memory), x);
}

// ---- products ----

Tensor LayoutEmitter::dot(const Tensor& a, const Tensor& b, const Contraction& contraction) {
  const Contraction memory = {dims_in_memory(a, contraction.left_batch),
                              dims_in_memory(b, contraction.right_batch),
                              dims_in_memory(a, contraction.left_contracting),
                              dims_in_memory(b, contraction.right_contracting)};
  const Tensor product = out_.dot(memory_of(a), memory_of(b), memory);
  Shape shape;
  for (const std::int64_t dim : contraction.left_batch) shape.push_back(a.extent(dim));
  Shape layout = counting(static_cast<std::int64_t>(shape.size()));
  // Free dimensions come in the order of memory; the layout says where they belong.
  const auto add_free = [&](const Tensor& x, const Shape& batch, const Shape& contracting) {
    Shape used = batch;
    used.insert(used.end(), contracting.begin(), contracting.end());
    std::sort(used.begin(), used.end());
    const auto base = static_cast<std::int64_t>(shape.size());
    const Shape free = without_dims(x.shape, used);
    shape.insert(shape.end(), free.begin(), free.end());
    for (const std::int64_t dim : full_layout(x)) {
      if (std::binary_search(used.begin(), used.end(), dim)) continue;
      const auto skipped = std::lower_bound(used.begin(), used.end(), dim) - used.begin();
      layout.push_back(base + dim - skipped);
    }
  };
  add_free(a, contraction.left_batch, contraction.left_contracting);
  add_free(b, contraction.right_batch, contraction.right_contracting);
  return placed(product, shape, layout);
}

Tensor LayoutEmitter::convolution(const Tensor& x, const Tensor& kernel,
                                  const ConvolutionAttributes& attributes) {
  return convolution_in(x, kernel, attributes, {}, {});
}

Tensor LayoutEmitter::convolution_in(const Tensor& x, const Tensor& kernel,
                                     const ConvolutionAttributes& attributes, const Shape& layout,
                                     const Shape& kernel_layout) {
  const Tensor source = relayout(x, layout);
  const Tensor weights = relayout(kernel, kernel_layout);
  const Convolution operation = {attributes, short_layout(layout), short_layout(kernel_layout)};
  return like(out_.add(operation, {memory_of(source), memory_of(weights)})[0], source);
}

std::vector<Tensor> LayoutEmitter::nodes(Operation operation, const std::vector<Tensor>& operands) {
  std::vector<Tensor> memories;
  for (const Tensor& operand : operands) memories.push_back(memory_of(in_order(operand)));
  return out_.add(std::move(operation), memories);
}

// ---- positions known at run time: dimensions in order ----

Tensor LayoutEmitter::gather(const Tensor& x, const Tensor& starts, const Shape& dims,
                             std::int64_t batch_position) {
  return out_.gather(memory_of(in_order(x)), memory_of(in_order(starts)), dims, batch_position);
}

Tensor LayoutEmitter::scatter(const Tensor& x, const Tensor& starts, const Shape& dims,
                              const Tensor& updates, std::optional<Reduction> combine) {
  return out_.scatter(memory_of(in_order(x)), memory_of(in_order(starts)), dims,
                      memory_of(in_order(updates)), combine);
}

std::pair<Tensor, Tensor> LayoutEmitter::sort(const Tensor& x, std::int64_t dim, bool descending) {
  return out_.sort(memory_of(in_order(x)), dim, descending);
}

Tensor LayoutEmitter::fourier(Fourier kind, const Tensor& x, const Shape& lengths) {
  return out_.fourier(kind, memory_of(in_order(x)), lengths);
}

}  // namespace graphnet::lowering::ir
