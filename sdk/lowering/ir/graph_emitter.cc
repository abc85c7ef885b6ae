// SPDX-License-Identifier: MIT
#include "lowering/ir/graph_emitter.h"

#include <algorithm>
#include <functional>

#include "graphnet/graph_view.h"
#include "lowering/builder.h"
#include "lowering/ir/composite.h"

namespace graphnet::lowering::ir {

namespace {

// An operator and its arguments say what its body is.
std::string text_of(const Composite& composite) {
  std::string text = " " + arguments_text(composite, [](std::int32_t operand) {
                       return "operand " + std::to_string(operand);
                     });
  for (const TensorType& each : composite.results) text += " " + describe(each.type, each.shape);
  return text;
}

// Of parts of it: weights that are known may be large. Who has found an equal one compares them.
std::size_t hash_of(std::string_view bytes) {
  constexpr std::size_t kPart = 64;
  constexpr std::size_t kParts = 64;
  if (bytes.size() <= kPart * kParts) return std::hash<std::string_view>()(bytes);
  std::string parts;
  for (std::size_t i = 0; i < kParts; ++i) {
    parts += bytes.substr((bytes.size() - kPart) / (kParts - 1) * i, kPart);
  }
  return std::hash<std::string>()(parts);
}

std::string text_of(const Operation& operation) {
  if (const auto* composite = std::get_if<Composite>(&operation)) return text_of(*composite);
  const auto* constant = std::get_if<Constant>(&operation);
  if (constant == nullptr) return attributes_text(operation);
  return " " + std::to_string(hash_of(constant->bytes.view()));
}

// Everything that makes a node what it is.
std::string key_of(const Node& node, const TensorType& given) {
  std::string key(name_of(node.operation));
  for (const ValueId operand : node.operands) key += " %" + std::to_string(operand);
  return key + text_of(node.operation) + " " + describe(given.type, given.shape);
}

TensorType type_of(const Tensor& x) {
  return {x.type, x.shape};
}

bool is_each(const Shape& list, std::int64_t value) {
  return std::all_of(list.begin(), list.end(),
                     [value](std::int64_t each) { return each == value; });
}

bool are_equal(const Operation& found, const Operation& wanted) {
  const auto* constant = std::get_if<Constant>(&found);
  return constant == nullptr || constant->bytes == std::get<Constant>(wanted).bytes;
}

}  // namespace

std::vector<Tensor> GraphEmitter::results_of(const Node& node) const {
  std::vector<Tensor> results;
  for (const ValueId id : node.results) results.push_back(tensor(id));
  return results;
}

std::vector<Tensor> GraphEmitter::add(Operation operation, const std::vector<Tensor>& operands,
                                      const TensorType& given) {
  Node node;
  node.operation = std::move(operation);
  std::vector<TensorType> types;
  Stage stage = own_stage(node.operation);
  for (const Tensor& operand : operands) {
    // add_parameters() left it out.
    if (operand.id < 0) throw LoweringError("an operand of an unknown element type");
    node.operands.push_back(operand.id);
    types.push_back(type_of(operand));
    stage = std::max(stage, stages_[static_cast<std::size_t>(operand.id)]);
  }
  const std::vector<TensorType> results = infer(node.operation, types, given);
  const bool is_empty = std::all_of(results.begin(), results.end(), [](const TensorType& result) {
    return num_elements(result.shape) == 0;
  });
  if (is_empty && !std::holds_alternative<Splat>(node.operation)) {
    std::vector<Tensor> splats;
    for (const TensorType& result : results) splats.push_back(splat(result.type, result.shape, 0));
    return splats;
  }
  const auto index = static_cast<std::int32_t>(graph_.nodes.size());
  const auto [found, is_new] = by_text_.emplace(key_of(node, results[0]), index);
  if (!is_new) {
    const Node& old = graph_.nodes[static_cast<std::size_t>(found->second)];
    if (are_equal(old.operation, node.operation)) return results_of(old);
  }
  node.origin = static_cast<std::int32_t>(graph_.origins.size()) - 1;
  for (const TensorType& result : results) {
    node.results.push_back(static_cast<ValueId>(graph_.values.size()));
    graph_.values.push_back({result, index});
    stages_.push_back(stage);
  }
  graph_.nodes.push_back(std::move(node));
  return results_of(graph_.nodes.back());
}

Tensor GraphEmitter::parameter(ParameterSource source, std::int64_t index, const TensorType& type) {
  return add_one(Parameter{source, index}, {}, type);
}

std::vector<Tensor> GraphEmitter::add_parameters(const gn_graph_body& body) {
  std::vector<Tensor> parameters(body.num_values);
  for (std::size_t id = 0; id < body.num_values; ++id) {
    const gn_value& value = body.values[id];
    const bool is_weight = value.kind == GN_VALUE_WEIGHT;
    const auto type = lowering::type_of(value.dtype);
    if ((!is_weight && value.kind != GN_VALUE_INPUT) || !type) continue;
    const View<std::int64_t> extents = shape_of(value);
    const Shape shape(extents.begin(), extents.end());
    if (is_weight && value.data != nullptr) {
      parameters[id] = constant(*type, shape, value.data);
      continue;
    }
    const auto source = is_weight ? ParameterSource::kWeight : ParameterSource::kInput;
    parameters[id] = parameter(source, value.index, {*type, shape});
  }
  return parameters;
}

Graph GraphEmitter::finish(const std::vector<Tensor>& outputs) {
  for (const Tensor& output : outputs) graph_.outputs.push_back(output.id);
  return without_dead_nodes(std::move(graph_));
}

void GraphEmitter::begin_node(std::string_view op, std::string_view where) {
  graph_.origins.push_back({std::string(op), std::string(where)});
}

Tensor GraphEmitter::constant(Type type, const Shape& shape, const SharedBytes& bytes) {
  return add_one(Constant{bytes}, {}, {type, shape});
}

Tensor GraphEmitter::splat(Type type, const Shape& shape, double value) {
  return add_one(Splat{value}, {}, {type, shape});
}

Tensor GraphEmitter::iota(Type type, const Shape& shape, std::int64_t dim) {
  return add_one(Iota{dim}, {}, {type, shape});
}

Tensor GraphEmitter::convert(const Tensor& x, Type type) {
  return x.type == type ? x : add_one(Convert(), {x}, {type, x.shape});
}

Tensor GraphEmitter::unary(Unary kind, const Tensor& x) {
  return add_one(UnaryOperation{kind}, {x});
}

Tensor GraphEmitter::binary(Binary kind, const Tensor& a, const Tensor& b) {
  return add_one(BinaryOperation{kind}, {a, b});
}

Tensor GraphEmitter::compare(Comparison kind, const Tensor& a, const Tensor& b) {
  return add_one(CompareOperation{kind}, {a, b});
}

Tensor GraphEmitter::select(const Tensor& condition, const Tensor& yes, const Tensor& no) {
  return add_one(Select(), {condition, yes, no});
}

Tensor GraphEmitter::broadcast(const Tensor& x, const Shape& shape, const Shape& dims) {
  if (const auto* one = made_by<Splat>(x)) return splat(x.type, shape, one->value);
  if (x.shape == shape && std::is_sorted(dims.begin(), dims.end())) return x;
  return add_one(Broadcast{dims}, {x}, {x.type, shape});
}

Tensor GraphEmitter::reshape(const Tensor& x, const Shape& shape) {
  if (x.shape == shape) return x;
  if (const auto* one = made_by<Splat>(x)) return splat(x.type, shape, one->value);
  if (made_by<Reshape>(x) != nullptr) return reshape(operand_of(x), shape);
  return add_one(Reshape(), {x}, {x.type, shape});
}

Tensor GraphEmitter::transpose(const Tensor& x, const Shape& permutation) {
  if (std::is_sorted(permutation.begin(), permutation.end())) return x;
  if (const auto* first = made_by<Transpose>(x)) {
    return transpose(operand_of(x), into_layout(first->permutation, permutation));
  }
  if (const auto* one = made_by<Splat>(x)) {
    return splat(x.type, into_layout(x.shape, permutation), one->value);
  }
  return add_one(Transpose{permutation}, {x});
}

Tensor GraphEmitter::slice(const Tensor& x, const Shape& begin, const Shape& end,
                           const Shape& step) {
  Slice cut = {begin, end, step};
  for (std::size_t i = 0; i < begin.size(); ++i) {
    if (end[i] <= begin[i] || end[i] - begin[i] > step[i]) continue;
    cut.end[i] = begin[i] + 1;  // a single one, however it is written
    cut.step[i] = 1;
  }
  const bool is_all = cut.end == x.shape && is_each(begin, 0) && is_each(cut.step, 1);
  return is_all ? x : add_one(std::move(cut), {x});
}

Tensor GraphEmitter::pad(const Tensor& x, double value, const Shape& low, const Shape& high,
                         const Shape& interior) {
  const bool is_none = is_each(low, 0) && is_each(high, 0) && is_each(interior, 0);
  return is_none ? x : add_one(Pad{value, low, high, interior}, {x});
}

Tensor GraphEmitter::concatenate(const std::vector<Tensor>& parts, std::int64_t dim) {
  std::vector<Tensor> filled;
  for (const Tensor& part : parts) {
    if (num_elements(part.shape) > 0) filled.push_back(part);
  }
  if (filled.size() == 1) return filled[0];
  const std::optional<std::int64_t> cut = rewrites_ ? dim_of_cuts(filled) : std::nullopt;
  if (cut) return rejoin(operand_of(filled[0]), *cut, filled, dim);
  return add_one(Concatenate{dim}, filled.empty() ? parts : filled);
}

std::optional<std::int64_t> GraphEmitter::dim_of_cuts(const std::vector<Tensor>& parts) const {
  if (parts.empty() || made_by<Slice>(parts[0]) == nullptr) return std::nullopt;
  const Tensor whole = operand_of(parts[0]);
  std::int64_t dim = 0;
  while (parts[0].extent(dim) == whole.extent(dim)) ++dim;  // a slice has fewer elements
  const std::int64_t extent = parts[0].extent(dim);
  Slice expected = {Shape(whole.shape.size(), 0), whole.shape, Shape(whole.shape.size(), 1)};
  const auto at = static_cast<std::size_t>(dim);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    expected.begin[at] = static_cast<std::int64_t>(i) * extent;
    expected.end[at] = expected.begin[at] + extent;
    const auto* cut = made_by<Slice>(parts[i]);
    const bool is_next = cut != nullptr && operand_of(parts[i]).id == whole.id &&
                         cut->begin == expected.begin && cut->end == expected.end &&
                         cut->step == expected.step;
    if (!is_next) return std::nullopt;
  }
  if (expected.end[at] != whole.extent(dim)) return std::nullopt;
  return dim;
}

Tensor GraphEmitter::rejoin(const Tensor& whole, std::int64_t cut, const std::vector<Tensor>& parts,
                            std::int64_t dim) {
  const auto count = static_cast<std::int64_t>(parts.size());
  Shape split = whole.shape;
  split[static_cast<std::size_t>(cut)] = parts[0].extent(cut);
  split.insert(split.begin() + cut, count);
  // Which part it is comes before the dimension along which they are put together.
  Shape order = counting(whole.rank() + 1);
  order.erase(order.begin() + cut);
  order.insert(order.begin() + dim, cut);
  Shape joined = parts[0].shape;
  joined[static_cast<std::size_t>(dim)] *= count;
  return reshape(transpose(reshape(whole, split), order), joined);
}

Tensor GraphEmitter::reverse(const Tensor& x, const Shape& dims) {
  return dims.empty() ? x : add_one(Reverse{dims}, {x});
}

Tensor GraphEmitter::reduce(Reduction kind, const Tensor& x, const Shape& dims) {
  return add_one(Reduce{kind, dims}, {x});
}

std::pair<Tensor, Tensor> GraphEmitter::reduce_index(bool largest, const Tensor& x,
                                                     std::int64_t dim) {
  return add_two(ReduceIndex{largest, dim}, x);
}

Tensor GraphEmitter::reduce_window(Reduction kind, const Tensor& x, const Window& window) {
  return add_one(ReduceWindow{kind, window}, {x});
}

Tensor GraphEmitter::dot(const Tensor& a, const Tensor& b, const Contraction& contraction) {
  return add_one(Dot{contraction}, {a, b});
}

Tensor GraphEmitter::convolution(const Tensor& x, const Tensor& kernel,
                                 const ConvolutionAttributes& attributes) {
  return add_one(Convolution{attributes}, {x, kernel});
}

Tensor GraphEmitter::gather(const Tensor& x, const Tensor& starts, const Shape& dims,
                            std::int64_t batch_position) {
  return add_one(Gather{dims, batch_position}, {x, starts});
}

Tensor GraphEmitter::scatter(const Tensor& x, const Tensor& starts, const Shape& dims,
                             const Tensor& updates, std::optional<Reduction> combine) {
  return add_one(Scatter{dims, combine}, {x, starts, updates});
}

std::pair<Tensor, Tensor> GraphEmitter::sort(const Tensor& x, std::int64_t dim, bool descending) {
  return add_two(Sort{dim, descending}, x);
}

Tensor GraphEmitter::fourier(Fourier kind, const Tensor& x, const Shape& lengths) {
  return add_one(FourierTransform{kind, lengths}, {x});
}

Graph without_dead_nodes(Graph graph) {
  std::vector<bool> is_needed(graph.nodes.size(), false);
  const auto need = [&](ValueId id) {
    is_needed[static_cast<std::size_t>(graph.value(id).node)] = true;
  };
  std::for_each(graph.outputs.begin(), graph.outputs.end(), need);
  for (std::size_t i = graph.nodes.size(); i-- > 0;) {
    if (!is_needed[i]) continue;
    std::for_each(graph.nodes[i].operands.begin(), graph.nodes[i].operands.end(), need);
  }
  Graph kept;
  kept.origins = std::move(graph.origins);
  std::vector<ValueId> renamed(graph.values.size(), -1);
  const auto rename = [&renamed](std::vector<ValueId>& ids) {
    for (ValueId& id : ids) id = renamed[static_cast<std::size_t>(id)];
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    if (!is_needed[i]) continue;
    Node node = std::move(graph.nodes[i]);
    for (const ValueId result : node.results) {
      renamed[static_cast<std::size_t>(result)] = static_cast<ValueId>(kept.values.size());
      kept.values.push_back(
          {graph.value(result).type, static_cast<std::int32_t>(kept.nodes.size())});
    }
    rename(node.operands);
    rename(node.results);
    kept.nodes.push_back(std::move(node));
  }
  kept.outputs = std::move(graph.outputs);
  rename(kept.outputs);
  return kept;
}

}  // namespace graphnet::lowering::ir
