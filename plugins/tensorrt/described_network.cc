// SPDX-License-Identifier: MIT
#include "tensorrt/described_network.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lowering/ir/array.h"
#include "tensorrt/legalize.h"
#include "tensorrt/types.h"
#include "tensorrt/write_network.h"

namespace graphnet::tensorrt {

namespace ir = lowering::ir;

using lowering::Binary;
using lowering::Comparison;
using lowering::counting;
using lowering::LoweringError;
using lowering::num_elements;
using lowering::Reduction;

namespace {

// Constants up to so many elements are written into the graph; larger ones stay where they are.
constexpr std::int64_t kMostWritten = 4096;
// Their parameters have numbers that no other has.
constexpr std::int64_t kFirstLeftOut = std::int64_t{1} << 32U;

void require_rank(const Shape& shape) {
  require(shape.size() <= static_cast<std::size_t>(nv::kMaxDims),
          "more than 8 dimensions, here are " + std::to_string(shape.size()));
}

std::string type_names(const Tensor& a, const Tensor& b) {
  return lowering::describe(a.type, a.shape) + " with " + lowering::describe(b.type, b.shape);
}

void require_float(const Tensor& x, const char* layer) {
  require(lowering::is_float(x.type), std::string(layer) + " of " + lowering::type_name(x.type));
}

void require_number(const Tensor& x, const char* layer) {
  require(x.type != Type::kBool && is_computable(x.type),
          std::string(layer) + " of " + lowering::type_name(x.type));
}

/// Equal or 1 everywhere, of one rank.
Shape stretched(const Tensor& a, const Tensor& b) {
  require(a.rank() == b.rank(), "ranks of " + type_names(a, b));
  return lowering::broadcast_shape(a.shape, b.shape);
}

Shape axes_of(std::uint32_t mask) {
  Shape axes;
  for (std::int64_t i = 0; i < nv::kMaxDims; ++i) {
    if ((mask >> i & 1U) != 0) axes.push_back(i);
  }
  return axes;
}

}  // namespace

void require(bool holds, const std::string& what) {
  if (!holds) throw LoweringError("TensorRT refuses " + what);
}

DescribedNetwork::DescribedNetwork(Constants constants)
    : out_(/*rewrites=*/false), b_(out_), constants_(constants) {}

ir::Graph DescribedNetwork::finish() {
  return out_.finish(outputs_);
}

Tensor DescribedNetwork::input(const std::string& name, Type type, const Shape& shape) {
  require_rank(shape);
  const ir::Parameter parameter = parameter_of(name);
  return out_.parameter(parameter.source, parameter.index, {type, shape});
}

void DescribedNetwork::mark_output(const Tensor& x, const std::string&) {
  outputs_.push_back(x);
}

Tensor DescribedNetwork::constant(Type type, const Shape& shape, std::string_view bytes,
                                  const std::string& name) {
  require_rank(shape);
  require(is_computable(type), std::string("constants of ") + lowering::type_name(type));
  const std::int64_t count = num_elements(shape);
  // Weights that are refitted have one type, whatever shape a layer gives them.
  if (!name.empty()) {
    const ir::Parameter parameter = parameter_of(name);
    const auto there = weights_.try_emplace(name, ir::TensorType{type, shape}).first;
    return b_.reshape(out_.parameter(parameter.source, parameter.index, there->second), shape);
  }
  if (constants_ == Constants::kLeftOut && count > kMostWritten) {
    return out_.parameter(ir::ParameterSource::kBound, kFirstLeftOut + num_left_out_++,
                          {type, shape});
  }
  const Tensor made = out_.constant(type, shape, bytes.data());
  if (count == 1) {
    scalars_[made.id] =
        static_cast<double>(ir::read_array({type, shape}, bytes.data()).elements[0].real());
  }
  return made;
}

Tensor DescribedNetwork::cast(const Tensor& x, Type type) {
  require(to_nv(type).has_value(), std::string("a cast to ") + lowering::type_name(type));
  return b_.convert(x, type);
}

Tensor DescribedNetwork::function_of(nv::Unary kind, const Tensor& x) {
  using lowering::Unary;
  switch (kind) {
    case nv::Unary::kExp:
      return b_.unary(Unary::kExp, x);
    case nv::Unary::kLog:
      return b_.unary(Unary::kLog, x);
    case nv::Unary::kSqrt:
      return b_.unary(Unary::kSqrt, x);
    case nv::Unary::kRecip:
      return b_.divide(b_.full(x.type, x.shape, 1), x);
    case nv::Unary::kSin:
      return b_.unary(Unary::kSin, x);
    case nv::Unary::kCos:
      return b_.unary(Unary::kCos, x);
    case nv::Unary::kCeil:
      return b_.unary(Unary::kCeil, x);
    case nv::Unary::kFloor:
      return b_.unary(Unary::kFloor, x);
    case nv::Unary::kErf:
      return b_.unary(Unary::kErf, x);
    case nv::Unary::kSign:
      return b_.unary(Unary::kSign, x);
    case nv::Unary::kAtanh:  // half of log((1 + x) / (1 - x))
      return b_.multiply(
          b_.unary(Unary::kLog1p,
                   b_.divide(b_.multiply(x, 2), b_.subtract(b_.full(x.type, x.shape, 1), x))),
          0.5);
    default:
      throw LoweringError("TensorRT has no such function");
  }
}

Tensor DescribedNetwork::unary(nv::Unary kind, const Tensor& x) {
  using lowering::Unary;
  if (kind == nv::Unary::kNot) {
    require(x.type == Type::kBool, "addUnary NOT of numbers");
    return b_.unary(Unary::kNot, x);
  }
  require_number(x, "addUnary");
  if (kind == nv::Unary::kAbs) return b_.unary(Unary::kAbs, x);
  if (kind == nv::Unary::kNeg) return b_.unary(Unary::kNegate, x);
  require_float(x, "addUnary");
  return b_.convert(function_of(kind, wide(x)), x.type);
}

Tensor DescribedNetwork::activation(nv::Activation kind, const Tensor& x, double, double) {
  using lowering::Unary;
  require_float(x, "addActivation");
  const Tensor y = wide(x);
  const auto rounded = [&](const Tensor& result) { return b_.convert(result, x.type); };
  if (kind == nv::Activation::kSigmoid) return rounded(b_.sigmoid(y));
  if (kind == nv::Activation::kTanh) return rounded(b_.unary(Unary::kTanh, y));
  if (kind == nv::Activation::kGeluErf) {
    const Tensor bell = b_.add(b_.unary(Unary::kErf, b_.multiply(y, std::sqrt(0.5))), 1);
    return rounded(b_.multiply(b_.multiply(y, 0.5), bell));
  }
  if (kind == nv::Activation::kGeluTanh) {
    const Tensor cube = b_.multiply(b_.multiply(y, y), y);
    const Tensor inner = b_.multiply(b_.add(y, b_.multiply(cube, 0.044715)), std::sqrt(2 / M_PI));
    return rounded(b_.multiply(b_.multiply(y, 0.5), b_.add(b_.unary(Unary::kTanh, inner), 1)));
  }
  throw LoweringError("no description of this activation");
}

Tensor DescribedNetwork::elementwise(nv::Elementwise kind, const Tensor& a, const Tensor& b) {
  struct Row {
    nv::Elementwise layer;
    Binary operation;
  };
  constexpr Row kRows[] = {
      {nv::Elementwise::kSum, Binary::kAdd},      {nv::Elementwise::kProd, Binary::kMultiply},
      {nv::Elementwise::kMax, Binary::kMaximum},  {nv::Elementwise::kMin, Binary::kMinimum},
      {nv::Elementwise::kSub, Binary::kSubtract}, {nv::Elementwise::kDiv, Binary::kDivide},
      {nv::Elementwise::kPow, Binary::kPower},    {nv::Elementwise::kAnd, Binary::kAnd},
      {nv::Elementwise::kOr, Binary::kOr},        {nv::Elementwise::kXor, Binary::kXor},
  };
  require(a.type == b.type, "addElementWise of " + type_names(a, b));
  const Shape shape = stretched(a, b);
  const bool is_logical = kind == nv::Elementwise::kAnd || kind == nv::Elementwise::kOr ||
                          kind == nv::Elementwise::kXor;
  require(is_logical == (a.type == Type::kBool), "addElementWise of " + type_names(a, b));
  if (kind == nv::Elementwise::kPow) require_float(a, "addElementWise POW");
  const Tensor left = wide(b_.expand(a, shape));
  const Tensor right = wide(b_.expand(b, shape));
  if (kind == nv::Elementwise::kEqual) return out_.compare(Comparison::kEq, left, right);
  if (kind == nv::Elementwise::kGreater) return out_.compare(Comparison::kGt, left, right);
  if (kind == nv::Elementwise::kLess) return out_.compare(Comparison::kLt, left, right);
  for (const Row& row : kRows) {
    if (row.layer == kind) return b_.convert(out_.binary(row.operation, left, right), a.type);
  }
  throw LoweringError("no description of this operation");
}

Tensor DescribedNetwork::select(const Tensor& condition, const Tensor& yes, const Tensor& no) {
  require(condition.type == Type::kBool && yes.type == no.type,
          "addSelect of " + type_names(yes, no));
  require(condition.rank() == yes.rank(), "ranks of " + type_names(condition, yes));
  const Shape shape = lowering::broadcast_shape(stretched(yes, no), condition.shape);
  return out_.select(b_.expand(condition, shape), b_.expand(yes, shape), b_.expand(no, shape));
}

Tensor DescribedNetwork::transpose(const Tensor& x, const Shape& permutation) {
  return out_.transpose(x, permutation);
}

Tensor DescribedNetwork::reshape(const Tensor& x, const Shape& shape) {
  require_rank(shape);
  require(num_elements(x.shape) == num_elements(shape), "addShuffle to another number of elements");
  return b_.reshape(x, shape);
}

Tensor DescribedNetwork::slice(const Tensor& x, const Shape& start, const Shape& size,
                               const Shape& stride) {
  Shape begin;
  Shape end;
  Shape step;
  Shape backward;
  Shape once = size;
  for (std::size_t i = 0; i < size.size(); ++i) {
    const std::int64_t last = start[i] + (size[i] - 1) * stride[i];
    require(
        size[i] == 0 || (std::min(start[i], last) >= 0 && std::max(start[i], last) < x.shape[i]),
        "addSlice beyond an extent");
    if (stride[i] == 0) once[i] = 1;
    if (stride[i] < 0) backward.push_back(static_cast<std::int64_t>(i));
    begin.push_back(std::min(start[i], last));
    end.push_back(std::max(start[i], last) + 1);
    step.push_back(std::max<std::int64_t>(std::abs(stride[i]), 1));
  }
  Tensor y = out_.slice(x, begin, end, step);
  if (!backward.empty()) y = out_.reverse(y, backward);
  return b_.expand(y, size);
}

Tensor DescribedNetwork::slice_filled(const Tensor& x, const Shape& start, const Shape& size,
                                      const Tensor& fill) {
  require(fill.type == x.type && x.type != Type::kBool, "addSlice FILL of " + type_names(x, fill));
  const auto value = scalars_.find(fill.id);
  require(value != scalars_.end(), "addSlice FILL with more than one element");
  Shape low;
  Shape high;
  for (std::size_t i = 0; i < size.size(); ++i) {
    low.push_back(-start[i]);
    high.push_back(start[i] + size[i] - x.shape[i]);
  }
  return out_.pad(x, value->second, low, high, Shape(size.size(), 0));
}

Tensor DescribedNetwork::concatenate(const std::vector<Tensor>& parts, std::int64_t axis) {
  for (const Tensor& part : parts) {
    require(part.type == parts[0].type, "addConcatenation of " + type_names(parts[0], part));
  }
  return out_.concatenate(parts, axis);
}

Tensor DescribedNetwork::reduce(nv::Reduce kind, const Tensor& x, std::uint32_t axes) {
  constexpr Reduction kKinds[] = {Reduction::kSum, Reduction::kProduct, Reduction::kMax,
                                  Reduction::kMin};
  require_number(x, "addReduce");
  const Tensor reduced =
      out_.reduce(kKinds[static_cast<std::size_t>(kind)], wide(x), axes_of(axes));
  return b_.convert(reduced, x.type);
}

std::pair<Tensor, Tensor> DescribedNetwork::top_k(nv::TopK kind, const Tensor& x, std::int64_t k,
                                                  std::int64_t axis) {
  require_number(x, "addTopK");
  require(x.rank() > 1, "addTopK of one dimension");
  require(k <= kMostTopK && k <= x.extent(axis), "addTopK of " + std::to_string(k));
  const auto [values, places] = out_.sort(x, axis, kind == nv::TopK::kMax);
  return {b_.slice(values, axis, 0, k), b_.slice(places, axis, 0, k)};
}

}  // namespace graphnet::tensorrt
