// SPDX-License-Identifier: MIT
//
// Operations that move elements, reductions, and how transpositions pass through them.
#include <algorithm>

#include "lowering/builder.h"
#include "tvm_plugin/emitter.h"

namespace graphnet::tvm {

using lowering::counting;
using lowering::LoweringError;
using lowering::num_elements;
using lowering::Reduction;

Shape inverse(const Shape& permutation) {
  Shape result(permutation.size());
  for (std::size_t i = 0; i < permutation.size(); ++i) {
    result[static_cast<std::size_t>(permutation[i])] = static_cast<std::int64_t>(i);
  }
  return result;
}

Shape permuted(const Shape& list, const Shape& permutation) {
  Shape result;
  for (const std::int64_t dim : permutation) result.push_back(list[static_cast<std::size_t>(dim)]);
  return result;
}

namespace {

bool is_identity(const Shape& permutation) {
  return std::is_sorted(permutation.begin(), permutation.end());
}

// Dimensions of a transposed tensor as those of the tensor below it.
Shape mapped(const Shape& dims, const Shape& permutation) {
  Shape result;
  for (const std::int64_t dim : dims) {
    result.push_back(permutation[static_cast<std::size_t>(dim)]);
  }
  return result;
}

double identity_of(Reduction kind) {
  return kind == Reduction::kProduct || kind == Reduction::kAnd ? 1 : 0;
}

}  // namespace

const Shape* Emitter::moving_permutation(const Tensor& x) const {
  const Node& own = node(x);
  const bool moves = rewrites_ && own.kind == NodeKind::kTranspose && own.stage == Stage::kCall;
  return moves ? &own.first : nullptr;
}

Tensor Emitter::below(const Tensor& x) const {
  const std::int32_t id = node(x).operands[0];
  return {id, program_.at(id).type, program_.at(id).shape};
}

Tensor Emitter::permuted(const Tensor& x, const Shape& permutation) {
  const Node own = node(x);
  const Shape shape = tvm::permuted(x.shape, permutation);
  if (own.kind == NodeKind::kSplat) return splat(x.type, shape, own.value);
  if (own.kind == NodeKind::kBroadcast) {
    const Shape positions = inverse(permutation);
    return broadcast(below(x), shape, mapped(own.first, positions));
  }
  return transpose(x, permutation);
}

Shape Emitter::lift_transposes(std::vector<Tensor>& operands) {
  Shape permutation;
  for (const Tensor& operand : operands) {
    const Shape* const moving = moving_permutation(operand);
    if (moving == nullptr) continue;
    permutation = *moving;
    break;
  }
  if (permutation.empty()) return {};
  const Shape undo = inverse(permutation);
  for (Tensor& operand : operands) operand = permuted(operand, undo);
  return permutation;
}

Tensor Emitter::transpose(const Tensor& x, const Shape& permutation) {
  if (is_identity(permutation)) return x;
  const Node own = node(x);
  if (own.kind == NodeKind::kTranspose) {
    return transpose(below(x), tvm::permuted(own.first, permutation));
  }
  Node result = {NodeKind::kTranspose, 0, x.type, tvm::permuted(x.shape, permutation), {x.id}};
  result.first = permutation;
  return add(std::move(result));
}

Tensor Emitter::broadcast(const Tensor& x, const Shape& shape, const Shape& dims) {
  const Node own = node(x);
  if (own.kind == NodeKind::kSplat) return splat(x.type, shape, own.value);
  if (x.shape == shape && dims == counting(x.rank())) return x;
  if (const Shape* moving = moving_permutation(x); moving != nullptr) {
    // Dimension i of what is below is dimension undo[i] of x.
    const Shape undo = inverse(*moving);
    Shape below_dims;
    for (const std::int64_t dim : undo) below_dims.push_back(dims[static_cast<std::size_t>(dim)]);
    if (x.shape.size() == shape.size()) {
      const Shape back = *moving;
      const Tensor wide = broadcast(below(x), tvm::permuted(shape, undo), counting(x.rank()));
      if (dims == counting(x.rank())) return transpose(wide, back);
    }
    Node result = {NodeKind::kBroadcast, 0, x.type, shape, {below(x).id}};
    result.first = below_dims;
    return add(std::move(result));
  }
  Node result = {NodeKind::kBroadcast, 0, x.type, shape, {x.id}};
  result.first = dims;
  return add(std::move(result));
}

Tensor Emitter::reshape(const Tensor& x, const Shape& shape) {
  if (x.shape == shape) return x;
  const Node own = node(x);
  if (own.kind == NodeKind::kSplat) return splat(x.type, shape, own.value);
  if (own.kind == NodeKind::kReshape) return reshape(below(x), shape);
  return add({NodeKind::kReshape, 0, x.type, shape, {x.id}});
}

Tensor Emitter::slice(const Tensor& x, const Shape& begin, const Shape& end, const Shape& step) {
  Shape shape;
  for (std::size_t i = 0; i < begin.size(); ++i) {
    shape.push_back((end[i] - begin[i] + step[i] - 1) / step[i]);
  }
  if (num_elements(shape) == 0) return splat(x.type, shape, 0);
  if (shape == x.shape) return x;
  if (const Shape* moving = moving_permutation(x); moving != nullptr) {
    const Shape back = *moving;
    const Shape undo = inverse(back);
    return transpose(slice(below(x), tvm::permuted(begin, undo), tvm::permuted(end, undo),
                           tvm::permuted(step, undo)),
                     back);
  }
  Node result = {NodeKind::kSlice, 0, x.type, shape, {x.id}};
  result.first = begin;
  result.second = end;
  result.third = step;
  return add(std::move(result));
}

Tensor Emitter::pad(const Tensor& x, double value, const Shape& low, const Shape& high,
                    const Shape& interior) {
  Shape shape = x.shape;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    shape[i] += low[i] + high[i] + std::max<std::int64_t>(shape[i] - 1, 0) * interior[i];
  }
  if (num_elements(x.shape) == 0) return splat(x.type, shape, value);
  if (shape == x.shape && low == Shape(low.size(), 0)) return x;
  if (const Shape* moving = moving_permutation(x); moving != nullptr) {
    const Shape back = *moving;
    const Shape undo = inverse(back);
    return transpose(pad(below(x), value, tvm::permuted(low, undo), tvm::permuted(high, undo),
                         tvm::permuted(interior, undo)),
                     back);
  }
  Node result = {NodeKind::kPad, 0, x.type, shape, {x.id}};
  result.first = low;
  result.second = high;
  result.third = interior;
  result.value = value;
  return add(std::move(result));
}

Tensor Emitter::concatenate(const std::vector<Tensor>& parts, std::int64_t dim) {
  std::vector<Tensor> operands;
  for (const Tensor& part : parts) {
    if (num_elements(part.shape) > 0) operands.push_back(part);
  }
  if (operands.empty()) {
    Shape shape = parts[0].shape;
    for (std::size_t i = 1; i < parts.size(); ++i) {
      shape[static_cast<std::size_t>(dim)] += parts[i].extent(dim);
    }
    return splat(parts[0].type, shape, 0);
  }
  if (operands.size() == 1) return operands[0];
  const Shape permutation = lift_transposes(operands);
  if (!permutation.empty()) dim = permutation[static_cast<std::size_t>(dim)];
  Node result = {NodeKind::kConcatenate, 0, parts[0].type, operands[0].shape, {}};
  result.dim = dim;
  std::int64_t& extent = result.shape[static_cast<std::size_t>(dim)];
  extent = 0;
  for (const Tensor& operand : operands) {
    result.operands.push_back(operand.id);
    extent += operand.extent(dim);
  }
  const Tensor joined = add(std::move(result));
  return permutation.empty() ? joined : transpose(joined, permutation);
}

Tensor Emitter::reverse(const Tensor& x, const Shape& dims) {
  if (const Shape* moving = moving_permutation(x); moving != nullptr) {
    const Shape back = *moving;
    return transpose(reverse(below(x), mapped(dims, back)), back);
  }
  Node result = {NodeKind::kReverse, 0, x.type, x.shape, {x.id}};
  result.first = dims;
  return add(std::move(result));
}

Tensor Emitter::reduce(Reduction kind, const Tensor& x, const Shape& given) {
  Shape dims = given;
  std::sort(dims.begin(), dims.end());
  const Shape shape = lowering::without_dims(x.shape, dims);
  if (num_elements(x.shape) == 0) return splat(x.type, shape, identity_of(kind));
  if (const Shape* moving = moving_permutation(x); moving != nullptr) {
    const Shape back = *moving;
    const Tensor reduced = reduce(kind, below(x), mapped(dims, back));
    // Remaining dimensions are in the order of what is below; number them anew.
    Shape below_dims = mapped(dims, back);
    std::sort(below_dims.begin(), below_dims.end());
    Shape order;
    for (std::size_t i = 0; i < back.size(); ++i) {
      if (std::binary_search(dims.begin(), dims.end(), static_cast<std::int64_t>(i))) continue;
      const auto skipped = std::lower_bound(below_dims.begin(), below_dims.end(), back[i]);
      order.push_back(back[i] - (skipped - below_dims.begin()));
    }
    return transpose(reduced, order);
  }
  Node result = {NodeKind::kReduce, static_cast<std::uint8_t>(kind), x.type, shape, {x.id}};
  result.first = dims;
  return add(std::move(result));
}

Tensor Emitter::reduce_window(Reduction kind, const Tensor& x, const lowering::Window& window) {
  if (const Shape* moving = moving_permutation(x); moving != nullptr) {
    const Shape back = *moving;
    const Shape undo = inverse(back);
    const auto moved = [&](const Shape& list) { return tvm::permuted(list, undo); };
    return transpose(reduce_window(kind, below(x),
                                   {moved(window.size), moved(window.stride),
                                    moved(window.dilation), moved(window.low), moved(window.high)}),
                     back);
  }
  Shape shape;
  for (std::size_t i = 0; i < x.shape.size(); ++i) {
    const std::int64_t in = x.shape[i] + window.low[i] + window.high[i];
    shape.push_back((in - window.dilation[i] * (window.size[i] - 1) - 1) / window.stride[i] + 1);
  }
  if (num_elements(x.shape) == 0) return splat(x.type, shape, identity_of(kind));
  Node result = {NodeKind::kReduceWindow, static_cast<std::uint8_t>(kind), x.type, shape, {x.id}};
  result.window = window;
  return add(std::move(result));
}

}  // namespace graphnet::tvm
