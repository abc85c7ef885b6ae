// SPDX-License-Identifier: MIT
#include "tvm_plugin/emitter.h"

#include <algorithm>
#include <cstring>

#include "lowering/builder.h"

namespace graphnet::tvm {

using lowering::Binary;
using lowering::Comparison;
using lowering::describe;
using lowering::LoweringError;
using lowering::Reduction;
using lowering::Unary;

namespace {

void append(std::string& key, const Shape& list) {
  key += '[';
  for (const std::int64_t each : list) key += std::to_string(each) + ",";
  key += ']';
}

// Everything that makes a node what it is.
std::string key_of(const Node& node) {
  std::string key = std::to_string(static_cast<int>(node.kind)) + "." + std::to_string(node.which) +
                    "." + std::to_string(static_cast<int>(node.type)) + "." +
                    std::to_string(static_cast<int>(node.source)) + "." +
                    std::to_string(node.index) + "." + std::to_string(node.dim);
  key.append(reinterpret_cast<const char*>(&node.value), sizeof(node.value));
  append(key, node.shape);
  append(key, Shape(node.operands.begin(), node.operands.end()));
  for (const Shape* list :
       {&node.first, &node.second, &node.third, &node.window.size, &node.window.stride,
        &node.window.dilation, &node.window.low, &node.window.high, &node.convolution.stride,
        &node.convolution.low, &node.convolution.high, &node.convolution.input_dilation,
        &node.convolution.kernel_dilation}) {
    append(key, *list);
  }
  return key + std::to_string(node.convolution.groups);
}

void refuse_complex(Type type) {
  if (lowering::is_complex(type)) throw LoweringError("TVM has no complex numbers");
}

}  // namespace

void Emitter::begin_node(std::string_view op, std::string_view where) {
  program_.locations.push_back(std::string(op) + (where.empty() ? "" : " ") + std::string(where));
}

const Node& Emitter::node(const Tensor& x) const {
  return program_.at(x.id);
}

Tensor Emitter::add(Node node) {
  refuse_complex(node.type);
  // Nothing to compute; TVM would divide by the extents.
  const bool is_empty = lowering::num_elements(node.shape) == 0;
  if (is_empty && node.kind != NodeKind::kSplat) return splat(node.type, node.shape, 0);
  std::string key = key_of(node);
  const auto found = by_text_.find(key);
  if (found != by_text_.end()) return {found->second, node.type, node.shape};
  for (const std::int32_t operand : node.operands) {
    node.stage = std::max(node.stage, program_.at(operand).stage);
  }
  node.location = static_cast<std::int32_t>(program_.locations.size()) - 1;
  const auto id = static_cast<std::int32_t>(program_.nodes.size());
  const Tensor result = {id, node.type, node.shape};
  by_text_.emplace(std::move(key), id);
  program_.nodes.push_back(std::move(node));
  return result;
}

Tensor Emitter::argument(ArgumentSource source, std::uint32_t index, Type type,
                         const Shape& shape) {
  refuse_complex(type);
  if (lowering::num_elements(shape) == 0) return splat(type, shape, 0);
  Node argument = {NodeKind::kArgument, 0, type, shape, {}};
  argument.source = source;
  argument.index = index;
  if (source == ArgumentSource::kInput) argument.stage = Stage::kCall;
  return add(std::move(argument));
}

Program Emitter::finish(const std::vector<Tensor>& outputs) {
  for (const Tensor& output : outputs) program_.outputs.push_back(output.id);
  return std::move(program_);
}

bool Emitter::is_bound(const Tensor& x) const {
  return node(x).stage == Stage::kBind;
}

Tensor Emitter::constant(Type type, const Shape& shape, const void* data) {
  refuse_complex(type);
  const std::int64_t count = lowering::num_elements(shape);
  if (count == 0) return splat(type, shape, 0);
  const auto num_bytes = static_cast<std::size_t>(count * lowering::bytes_of(type));
  std::string bytes(static_cast<const char*>(data), num_bytes);
  for (std::size_t i = 0; i < program_.constants.size(); ++i) {
    const Constant& each = program_.constants[i];
    if (each.type == type && each.shape == shape && each.bytes == bytes) {
      return argument(ArgumentSource::kConstant, static_cast<std::uint32_t>(i), type, shape);
    }
  }
  program_.constants.push_back({type, shape, std::move(bytes)});
  return argument(ArgumentSource::kConstant,
                  static_cast<std::uint32_t>(program_.constants.size() - 1), type, shape);
}

Tensor Emitter::splat(Type type, const Shape& shape, double value) {
  Node splat = {NodeKind::kSplat, 0, type, shape, {}};
  splat.value = value;
  return add(std::move(splat));
}

Tensor Emitter::iota(Type type, const Shape& shape, std::int64_t dim) {
  Node iota = {NodeKind::kIota, 0, type, shape, {}};
  iota.dim = dim;
  return add(std::move(iota));
}

Tensor Emitter::elementwise(NodeKind kind, std::uint8_t which, Type type,
                            std::vector<Tensor> operands) {
  const Shape permutation = lift_transposes(operands);
  Node result = {kind, which, type, operands[0].shape, {}};
  for (const Tensor& operand : operands) result.operands.push_back(operand.id);
  const Tensor value = add(std::move(result));
  return permutation.empty() ? value : transpose(value, permutation);
}

Tensor Emitter::convert(const Tensor& x, Type type) {
  refuse_complex(type);
  if (x.type == type) return x;
  if (type == Type::kBool) return compare(Comparison::kNe, x, splat(x.type, x.shape, 0));
  return elementwise(NodeKind::kConvert, 0, type, {x});
}

Tensor Emitter::unary(Unary kind, const Tensor& x) {
  return elementwise(NodeKind::kUnary, static_cast<std::uint8_t>(kind), x.type, {x});
}

Tensor Emitter::binary(Binary kind, const Tensor& a, const Tensor& b) {
  if (kind == Binary::kComplex) throw LoweringError("TVM has no complex numbers");
  return elementwise(NodeKind::kBinary, static_cast<std::uint8_t>(kind), a.type, {a, b});
}

Tensor Emitter::compare(Comparison kind, const Tensor& a, const Tensor& b) {
  return elementwise(NodeKind::kCompare, static_cast<std::uint8_t>(kind), Type::kBool, {a, b});
}

Tensor Emitter::select(const Tensor& condition, const Tensor& yes, const Tensor& no) {
  return elementwise(NodeKind::kSelect, 0, yes.type, {condition, yes, no});
}

std::pair<Tensor, Tensor> Emitter::add_pair(Node pair, Type first) {
  const Shape shape = pair.shape;
  const Tensor both = add(std::move(pair));
  Node value = {NodeKind::kResult, 0, first, shape, {both.id}};
  Node index = {NodeKind::kResult, 0, Type::kI64, shape, {both.id}};
  index.index = 1;
  return {add(std::move(value)), add(std::move(index))};
}

std::pair<Tensor, Tensor> Emitter::reduce_index(bool largest, const Tensor& x, std::int64_t dim) {
  if (x.type == Type::kBF16) {
    const auto [value, index] = reduce_index(largest, convert(x, Type::kF32), dim);
    return {convert(value, x.type), index};
  }
  Node node = {NodeKind::kReduceIndex,
               static_cast<std::uint8_t>(largest ? 1 : 0),
               x.type,
               lowering::without_dims(x.shape, {dim}),
               {x.id}};
  node.dim = dim;
  return add_pair(std::move(node), x.type);
}

std::pair<Tensor, Tensor> Emitter::sort(const Tensor& x, std::int64_t dim, bool descending) {
  Node node = {
      NodeKind::kSort, static_cast<std::uint8_t>(descending ? 1 : 0), x.type, x.shape, {x.id}};
  node.dim = dim;
  return add_pair(std::move(node), x.type);
}

Tensor Emitter::gather(const Tensor& x, const Tensor& starts, const Shape& dims,
                       std::int64_t batch_position) {
  const Shape remaining = lowering::without_dims(x.shape, dims);
  const Shape batch(starts.shape.begin(), starts.shape.end() - 1);
  Shape shape(remaining.begin(), remaining.begin() + batch_position);
  shape.insert(shape.end(), batch.begin(), batch.end());
  shape.insert(shape.end(), remaining.begin() + batch_position, remaining.end());
  Node node = {NodeKind::kGather, 0, x.type, shape, {x.id, starts.id}};
  node.first = dims;
  node.dim = batch_position;
  return add(std::move(node));
}

Tensor Emitter::scatter(const Tensor& x, const Tensor& starts, const Shape& dims,
                        const Tensor& updates, std::optional<Reduction> combine) {
  if (lowering::is_half(x.type) && combine) {
    const Tensor wide =
        scatter(convert(x, Type::kF32), starts, dims, convert(updates, Type::kF32), combine);
    return convert(wide, x.type);
  }
  Node node = {NodeKind::kScatter,
               static_cast<std::uint8_t>(combine.value_or(Reduction::kSum)),
               x.type,
               x.shape,
               {x.id, starts.id, updates.id}};
  node.first = dims;
  node.dim = combine ? 1 : 0;
  return add(std::move(node));
}

Tensor Emitter::fourier(lowering::Fourier, const Tensor&, const Shape&) {
  throw LoweringError("TVM has no Fourier transform and no complex numbers");
}

}  // namespace graphnet::tvm
