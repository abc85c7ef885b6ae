// SPDX-License-Identifier: MIT
//
// NetworkWriter's operations element by element, and those that move elements.
#include <algorithm>
#include <array>
#include <utility>

#include "lowering/builder.h"
#include "tensorrt/network_writer.h"

namespace graphnet::tensorrt {

using lowering::Binary;
using lowering::Comparison;
using lowering::LoweringError;
using lowering::num_elements;
using lowering::Unary;

namespace {

struct UnaryRow {
  Unary kind;
  nv::Unary layer;
};

constexpr UnaryRow kUnary[] = {
    {Unary::kAbs, nv::Unary::kAbs},   {Unary::kNegate, nv::Unary::kNeg},
    {Unary::kSign, nv::Unary::kSign}, {Unary::kFloor, nv::Unary::kFloor},
    {Unary::kCeil, nv::Unary::kCeil}, {Unary::kExp, nv::Unary::kExp},
    {Unary::kLog, nv::Unary::kLog},   {Unary::kSqrt, nv::Unary::kSqrt},
    {Unary::kSin, nv::Unary::kSin},   {Unary::kCos, nv::Unary::kCos},
    {Unary::kErf, nv::Unary::kErf},   {Unary::kNot, nv::Unary::kNot},
};

struct BinaryRow {
  Binary kind;
  nv::Elementwise layer;
};

constexpr BinaryRow kBinary[] = {
    {Binary::kAdd, nv::Elementwise::kSum},       {Binary::kSubtract, nv::Elementwise::kSub},
    {Binary::kMultiply, nv::Elementwise::kProd}, {Binary::kDivide, nv::Elementwise::kDiv},
    {Binary::kPower, nv::Elementwise::kPow},     {Binary::kMaximum, nv::Elementwise::kMax},
    {Binary::kMinimum, nv::Elementwise::kMin},   {Binary::kAnd, nv::Elementwise::kAnd},
    {Binary::kOr, nv::Elementwise::kOr},         {Binary::kXor, nv::Elementwise::kXor},
};

}  // namespace

Tensor NetworkWriter::operator()(const ir::Iota& each) {
  ir::TensorType narrow_type = {out().type, Shape(out().shape.size(), 1)};
  narrow_type.shape[static_cast<std::size_t>(each.dim)] = out().extent(each.dim);
  return constants().array(network_, ir::evaluate(each, {}, {narrow_type})[0]);
}

Tensor NetworkWriter::operator()(const ir::Convert&) {
  const Tensor x = narrow(0);
  return x.type == out().type ? x : network_.cast(x, out().type);
}

// log(1 + x) has no digits left near 0; 2 atanh(x / (2 + x)) has all of them.
Tensor NetworkWriter::log1p(const Tensor& x) {
  const auto plus = [&](double value) {
    return network_.elementwise(nv::Elementwise::kSum, x, scalar_like(x, value));
  };
  const Tensor ratio = network_.elementwise(nv::Elementwise::kDiv, x, plus(2));
  const Tensor near = network_.elementwise(
      nv::Elementwise::kProd, network_.unary(nv::Unary::kAtanh, ratio), scalar_like(x, 2));
  const Tensor far = network_.unary(nv::Unary::kLog, plus(1));
  const Tensor is_near = network_.elementwise(
      nv::Elementwise::kLess, network_.unary(nv::Unary::kAbs, x), scalar_like(x, 0.5));
  return network_.select(is_near, near, far);
}

Tensor NetworkWriter::operator()(const ir::UnaryOperation& each) {
  const Tensor x = narrow(0);
  if (each.kind == Unary::kTanh) return network_.activation(nv::Activation::kTanh, x, 0, 0);
  if (each.kind == Unary::kLogistic) return network_.activation(nv::Activation::kSigmoid, x, 0, 0);
  if (each.kind == Unary::kLog1p) return log1p(x);
  if (each.kind == Unary::kRsqrt) {
    return network_.unary(nv::Unary::kRecip, network_.unary(nv::Unary::kSqrt, x));
  }
  for (const UnaryRow& row : kUnary) {
    if (row.kind == each.kind) return network_.unary(row.layer, x);
  }
  throw LoweringError("TensorRT has no such function");
}

Tensor NetworkWriter::operator()(const ir::BinaryOperation& each) {
  for (const BinaryRow& row : kBinary) {
    if (row.kind == each.kind) return network_.elementwise(row.layer, narrow(0), narrow(1));
  }
  throw LoweringError("TensorRT has no such operation");
}

Tensor NetworkWriter::operator()(const ir::CompareOperation& each) {
  const Tensor a = narrow(0);
  const Tensor b = narrow(1);
  const auto compared = [&](nv::Elementwise kind) { return network_.elementwise(kind, a, b); };
  // Not "not greater": NaN is neither.
  const auto or_equal = [&](nv::Elementwise kind) {
    return network_.elementwise(nv::Elementwise::kOr, compared(kind),
                                compared(nv::Elementwise::kEqual));
  };
  switch (each.kind) {
    case Comparison::kEq:
      return compared(nv::Elementwise::kEqual);
    case Comparison::kNe:
      return network_.unary(nv::Unary::kNot, compared(nv::Elementwise::kEqual));
    case Comparison::kLt:
      return compared(nv::Elementwise::kLess);
    case Comparison::kLe:
      return or_equal(nv::Elementwise::kLess);
    case Comparison::kGt:
      return compared(nv::Elementwise::kGreater);
    case Comparison::kGe:
      return or_equal(nv::Elementwise::kGreater);
  }
  throw LoweringError("TensorRT has no such comparison");
}

Tensor NetworkWriter::operator()(const ir::Select&) {
  const Tensor condition = narrow(0);
  const Tensor yes = narrow(1);
  return network_.select(condition, yes, narrow(2));
}

// Extents of 1 are enough: who needs the whole value makes it.
Tensor NetworkWriter::operator()(const ir::Broadcast& each) {
  const ir::ValueId id = node_->operands[0];
  Shape shape(out().shape.size(), 1);
  if (held(id).source || (held(id).known && num_elements(in(0).shape) > 1)) {
    for (std::size_t i = 0; i < each.dims.size(); ++i) {
      shape[static_cast<std::size_t>(each.dims[i])] = in(0).shape[i];
    }
    return reshaped_value(id, shape);
  }
  const Tensor x = narrow(0);
  for (std::size_t i = 0; i < each.dims.size(); ++i) {
    shape[static_cast<std::size_t>(each.dims[i])] = x.shape[i];
  }
  return reshaped(x, shape);
}

Tensor NetworkWriter::operator()(const ir::Reshape&) {
  const Tensor x = held(node_->operands[0]).tensor.value_or(Tensor{});
  // One element, many times.
  if (x.id >= 0 && num_elements(x.shape) == 1 && num_elements(out().shape) == 1) {
    return reshaped(x, out().shape);
  }
  return reshaped(0, out().shape);
}

Tensor NetworkWriter::operator()(const ir::Transpose& each) {
  return transposed(narrow(0), each.permutation);
}

Tensor NetworkWriter::operator()(const ir::Slice& each) {
  const Tensor x = narrow(0);
  Shape start = each.begin;
  Shape size = out().shape;
  Shape stride = each.step;
  for (std::size_t i = 0; i < size.size(); ++i) {
    if (x.shape[i] != 1 || in(0).shape[i] == 1) continue;
    start[i] = 0;
    size[i] = 1;
    stride[i] = 1;
  }
  if (size == x.shape && stride == Shape(size.size(), 1)) return x;
  return network_.slice(x, start, size, stride);
}

Tensor NetworkWriter::operator()(const ir::Reverse& each) {
  const Tensor x = narrow(0);
  Shape start(x.shape.size(), 0);
  Shape stride(x.shape.size(), 1);
  for (const std::int64_t dim : each.dims) {
    start[static_cast<std::size_t>(dim)] = x.extent(dim) - 1;
    stride[static_cast<std::size_t>(dim)] = -1;
  }
  return network_.slice(x, start, x.shape, stride);
}

Tensor NetworkWriter::operator()(const ir::Pad& each) {
  Shape start;
  for (const std::int64_t low : each.low) start.push_back(-low);
  const Tensor x = whole(0);
  // Slices are filled with numbers only.
  if (x.type == Type::kBool) {
    const Tensor numbers = network_.cast(x, Type::kI32);
    const Tensor fill = constants().scalar(network_, Type::kI32, 0, each.value);
    return network_.cast(network_.slice_filled(numbers, start, out().shape, fill), Type::kBool);
  }
  const Tensor fill = constants().scalar(network_, x.type, 0, each.value);
  return network_.slice_filled(x, start, out().shape, fill);
}

Tensor NetworkWriter::operator()(const ir::Concatenate& each) {
  std::vector<Tensor> parts;
  for (std::size_t i = 0; i < node_->operands.size(); ++i) {
    if (num_elements(in(i).shape) > 0) parts.push_back(whole(i));
  }
  return parts.size() == 1 ? parts[0] : network_.concatenate(parts, each.dim);
}

Tensor NetworkWriter::operator()(const ir::Reduce& each) {
  constexpr std::array<nv::Reduce, 5> kKinds = {
      nv::Reduce::kSum, nv::Reduce::kProd, nv::Reduce::kMax, nv::Reduce::kMin, nv::Reduce::kMax};
  const auto kind = static_cast<std::size_t>(each.kind);
  if (kind >= kKinds.size()) throw LoweringError("TensorRT has no such reduction");
  std::uint32_t axes = 0;
  for (const std::int64_t dim : each.dims) axes |= std::uint32_t{1} << dim;
  return network_.reduce(kKinds[kind], whole(0), axes);
}

// Coordinates along one dimension pick slices; along several, they lie in front.
Tensor NetworkWriter::operator()(const ir::Gather& each) {
  const ir::TensorType& starts = in(1);
  const auto num_batch = starts.rank() - 1;
  const Shape batch(starts.shape.begin(), starts.shape.end() - 1);
  Tensor x = whole(0);
  std::int64_t at = 0;  // where the batch dimensions are in what is gathered
  Tensor gathered;
  if (each.dims.size() == 1) {
    at = each.dims[0];
    gathered = network_.gather(x, reshaped(1, batch), at);
  } else {
    Shape order = each.dims;
    const Shape rest = lowering::without_dims(lowering::counting(x.rank()), each.dims);
    order.insert(order.end(), rest.begin(), rest.end());
    gathered = network_.gather_nd(transposed(x, order), whole(1));
  }
  if (at == each.batch_position) return gathered;
  Shape others = lowering::counting(gathered.rank());
  const Shape moved(others.begin() + at, others.begin() + at + num_batch);
  others.erase(others.begin() + at, others.begin() + at + num_batch);
  others.insert(others.begin() + each.batch_position, moved.begin(), moved.end());
  return transposed(gathered, others);
}

Tensor NetworkWriter::operator()(const ir::Scatter& each) {
  Shape order = each.dims;
  const Shape rest = lowering::without_dims(lowering::counting(in(0).rank()), each.dims);
  order.insert(order.end(), rest.begin(), rest.end());
  Tensor x = whole(0);
  const Tensor starts = whole(1);
  Tensor updates = whole(2);
  const bool is_bool = x.type == Type::kBool;
  if (is_bool) {
    x = network_.cast(x, Type::kI32);
    updates = network_.cast(updates, Type::kI32);
  }
  const Tensor scattered =
      ordered_back(network_.scatter_nd(transposed(x, order), starts, updates), order);
  return is_bool ? network_.cast(scattered, Type::kBool) : scattered;
}

}  // namespace graphnet::tensorrt
