// SPDX-License-Identifier: MIT
#include "tensorrt/network_writer.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <variant>

#include "tensorrt/types.h"

namespace graphnet::tensorrt {

using lowering::LoweringError;
using lowering::num_elements;

namespace {

// What is larger is left to TensorRT, unless it has no such type.
constexpr std::int64_t kMostKnown = 65536;
constexpr std::int64_t kMostKnownOfOtherTypes = std::int64_t{1} << 22U;

bool is_small(const ir::TensorType& type) {
  return num_elements(type.shape) <=
         (is_computable(type.type) ? kMostKnown : kMostKnownOfOtherTypes);
}

// Computes each element from the elements of its place.
bool is_elementwise(const ir::Operation& operation) {
  return std::holds_alternative<ir::Convert>(operation) ||
         std::holds_alternative<ir::UnaryOperation>(operation) ||
         std::holds_alternative<ir::BinaryOperation>(operation) ||
         std::holds_alternative<ir::CompareOperation>(operation) ||
         std::holds_alternative<ir::Select>(operation);
}

// Values that repeat may stay narrow through these.
bool keeps_narrow(const ir::Operation& operation) {
  return is_elementwise(operation) || std::holds_alternative<ir::Iota>(operation) ||
         std::holds_alternative<ir::Broadcast>(operation) ||
         std::holds_alternative<ir::Transpose>(operation) ||
         std::holds_alternative<ir::Slice>(operation) ||
         std::holds_alternative<ir::Reverse>(operation);
}

// 0 and -0 are two numbers: 1 / x tells them apart.
bool is_same(const ir::Number& a, const ir::Number& b) {
  return a == b && std::signbit(a.real()) == std::signbit(b.real()) &&
         std::signbit(a.imag()) == std::signbit(b.imag());
}

bool is_constant_everywhere(const ir::Array& array) {
  return !array.elements.empty() &&
         std::all_of(array.elements.begin(), array.elements.end(),
                     [&](const ir::Number& each) { return is_same(each, array.elements[0]); });
}

const char* source_name(ir::ParameterSource source) {
  constexpr const char* kNames[] = {"input", "weight", "bound"};
  return kNames[static_cast<std::size_t>(source)];
}

}  // namespace

const char* name_of(BoundWeights bound) {
  return bound == BoundWeights::kRefitted ? "bound_weights=refitted" : "bound_weights=inputs";
}

std::string name_of(const ir::Parameter& parameter) {
  return source_name(parameter.source) + std::to_string(parameter.index);
}

ir::Parameter parameter_of(const std::string& name) {
  const std::size_t digits = name.find_first_of("0123456789");
  ir::Parameter parameter;
  for (const auto source : {ir::ParameterSource::kWeight, ir::ParameterSource::kBound}) {
    if (name.compare(0, digits, source_name(source)) == 0) parameter.source = source;
  }
  parameter.index = std::stoll(name.substr(digits));
  return parameter;
}

void require_computable(Type type) {
  if (is_computable(type)) return;
  throw LoweringError(std::string("TensorRT computes with no ") + lowering::type_name(type));
}

WrittenNetwork write_network(const ir::Graph& graph, Network& network, BoundWeights bound) {
  return NetworkWriter(graph, network, bound).run();
}

NetworkWriter::NetworkWriter(const ir::Graph& graph, Network& network, BoundWeights bound)
    : graph_(graph),
      network_(network),
      bound_(bound),
      held_(graph.values.size()),
      readers_(graph.values.size()),
      is_output_(graph.values.size(), false) {
  for (const ir::Node& node : graph.nodes) {
    for (const ir::ValueId id : node.operands) {
      readers_[static_cast<std::size_t>(id)].push_back(&node);
    }
  }
  for (const ir::ValueId id : graph.outputs) is_output_[static_cast<std::size_t>(id)] = true;
}

WrittenNetwork NetworkWriter::run() {
  for (const ir::Node& node : graph_.nodes) {
    // What lacks the result of a failed node is no failure of its own.
    const bool is_ready = std::all_of(node.operands.begin(), node.operands.end(),
                                      [&](ir::ValueId id) { return held(id).is_there(); });
    if (!is_ready) continue;
    try {
      begin(node);
      write(node);
    } catch (const LoweringError& error) {
      fail(node, error.what());
    }
  }
  if (written_.failures.empty()) write_outputs();
  return std::move(written_);
}

void NetworkWriter::begin(const ir::Node& node) {
  node_ = &node;
  if (node.origin < 0) return;
  const ir::Origin& origin = graph_.origins[static_cast<std::size_t>(node.origin)];
  network_.begin_node(origin.where.empty() ? origin.op : origin.op + " " + origin.where);
}

void NetworkWriter::fail(const ir::Node& node, const std::string& reason) {
  const ir::Origin origin = node.origin < 0 ? ir::Origin{"argument", ""}
                                            : graph_.origins[static_cast<std::size_t>(node.origin)];
  written_.failures.push_back({origin.op, origin.where, reason});
}

void NetworkWriter::write(const ir::Node& node) {
  if (const auto* parameter = std::get_if<ir::Parameter>(&node.operation)) {
    return write_parameter(*parameter, node.results[0]);
  }
  if (compute_now(node)) return;
  if (const auto* constant = std::get_if<ir::Constant>(&node.operation)) {
    held(node.results[0]).source = Source{constant->bytes.view(), ""};
    return;
  }
  for (const ir::ValueId id : node.results) {
    // A result that nobody reads may be of any type.
    if (readers_[static_cast<std::size_t>(id)].empty() &&
        !is_output_[static_cast<std::size_t>(id)]) {
      continue;
    }
    require_computable(graph_.type(id).type);
  }
  const Tensor made = std::visit(*this, node.operation);
  check(node, made);
  held(node.results[0]).tensor = made;
}

void NetworkWriter::check(const ir::Node& node, const Tensor& made) const {
  const ir::TensorType& right = graph_.type(node.results[0]);
  bool fits = made.shape.size() == right.shape.size();
  const bool may_repeat = keeps_narrow(node.operation);
  for (std::size_t i = 0; fits && i < made.shape.size(); ++i) {
    fits = made.shape[i] == right.shape[i] || (may_repeat && made.shape[i] == 1);
  }
  if (std::holds_alternative<ir::Sort>(node.operation)) fits = true;  // looks itself
  const bool is_rounded_already =
      std::holds_alternative<ir::Dot>(node.operation) && lowering::is_half(made.type);
  if (fits && (made.type == right.type || is_rounded_already)) return;
  throw LoweringError("TensorRT makes " + lowering::describe(made.type, made.shape) +
                      " of it, not " + lowering::describe(right.type, right.shape));
}

std::shared_ptr<const ir::Array> NetworkWriter::known_array(ir::ValueId id) {
  Held& value = held(id);
  const ir::TensorType& type = graph_.type(id);
  if (!value.known && value.uniform && is_small(type)) {
    const auto count = static_cast<std::size_t>(num_elements(type.shape));
    value.known = std::make_shared<ir::Array>(
        ir::Array{type, std::vector<ir::Number>(count, *value.uniform)});
  }
  return value.known;
}

// One number everywhere, of any shape: computed once.
bool NetworkWriter::compute_uniform(const ir::Node& node) {
  if (const auto* splat = std::get_if<ir::Splat>(&node.operation)) {
    held(node.results[0]).uniform = ir::rounded(graph_.type(node.results[0]).type, splat->value);
    return true;
  }
  if (!keeps_narrow(node.operation) && !std::holds_alternative<ir::Reshape>(node.operation)) {
    return false;
  }
  std::vector<ir::Array> scalars;
  for (const ir::ValueId id : node.operands) {
    if (!held(id).uniform) return false;
    scalars.push_back({{graph_.type(id).type, {}}, {*held(id).uniform}});
  }
  if (scalars.empty()) return false;
  ir::Number& result = held(node.results[0]).uniform.emplace(scalars[0].elements[0]);
  std::vector<const ir::Array*> operands;
  for (const ir::Array& each : scalars) operands.push_back(&each);
  if (is_elementwise(node.operation)) {
    const ir::TensorType type = {graph_.type(node.results[0]).type, {}};
    result = ir::evaluate(node.operation, operands, {type})[0].elements[0];
  }
  return true;
}

bool NetworkWriter::decide_now(const ir::Node& node) {
  const ir::Number none = 0;
  if (std::holds_alternative<ir::Select>(node.operation)) {
    const auto& condition = held(node.operands[0]).uniform;
    if (!condition) return false;
    held(node.results[0]) = held(node.operands[*condition != none ? 1 : 2]);
    return true;
  }
  const auto* binary = std::get_if<ir::BinaryOperation>(&node.operation);
  if (binary == nullptr || graph_.type(node.results[0]).type != Type::kBool) return false;
  const bool is_and = binary->kind == lowering::Binary::kAnd;
  if (!is_and && binary->kind != lowering::Binary::kOr) return false;
  for (std::size_t i = 0; i < 2; ++i) {
    const auto& one = held(node.operands[i]).uniform;
    if (!one) continue;
    // What decides is the result; what does not leaves the other operand.
    const bool decides = is_and == (*one == none);
    held(node.results[0]) = held(node.operands[decides ? i : 1 - i]);
    return true;
  }
  return false;
}

// With constants for all operands, or without an element, a value is known.
bool NetworkWriter::compute_now(const ir::Node& node) {
  const bool is_empty = std::all_of(node.results.begin(), node.results.end(), [&](ir::ValueId id) {
    return num_elements(graph_.type(id).shape) == 0;
  });
  if (is_empty) {
    for (const ir::ValueId id : node.results) {
      held(id).known = std::make_shared<ir::Array>(ir::Array{graph_.type(id), {}});
    }
    return true;
  }
  if (std::holds_alternative<ir::Composite>(node.operation)) return false;
  if (compute_uniform(node) || decide_now(node)) return true;
  std::vector<const ir::Array*> operands;
  std::vector<ir::TensorType> types;
  for (const ir::ValueId id : node.operands) {
    const std::shared_ptr<const ir::Array> known = known_array(id);
    if (!known) return false;
    operands.push_back(known.get());
  }
  for (const ir::ValueId id : node.results) {
    types.push_back(graph_.type(id));
    if (!is_small(types.back())) return false;
  }
  std::vector<ir::Array> results = ir::evaluate(node.operation, operands, types);
  for (std::size_t i = 0; i < results.size(); ++i) {
    Held& value = held(node.results[i]);
    if (is_constant_everywhere(results[i])) value.uniform = results[i].elements[0];
    value.known = std::make_shared<ir::Array>(std::move(results[i]));
  }
  return true;
}

// TensorRT refits floats. Other weights are inputs that bind fills.
void NetworkWriter::write_parameter(const ir::Parameter& parameter, ir::ValueId id) {
  const ir::TensorType& type = graph_.type(id);
  if (num_elements(type.shape) == 0) {
    held(id).known = std::make_shared<ir::Array>(ir::Array{type, {}});
    return;
  }
  if (!to_nv(type.type)) require_computable(type.type);
  const NamedParameter named = {name_of(parameter), parameter, type};
  const bool is_input = parameter.source == ir::ParameterSource::kInput;
  if (!is_input && bound_ == BoundWeights::kRefitted && lowering::is_float(type.type)) {
    held(id).source = Source{constants().placeholder(type.type, type.shape), named.name};
    // In its own shape first, which is what bind gives.
    held(id).tensor = network_.constant(type.type, type.shape, held(id).source->bytes, named.name);
    written_.refittable.push_back(named);
    return;
  }
  held(id).tensor = network_.input(named.name, type.type, type.shape);
  taken_.push_back(held(id).tensor->id);
  written_.inputs.push_back(named);
}

void NetworkWriter::write_outputs() {
  for (const ir::ValueId id : graph_.outputs) {
    if (num_elements(graph_.type(id).shape) == 0) {
      written_.outputs.emplace_back();
      continue;
    }
    const ir::Node& node = graph_.maker(id);
    try {
      begin(node);
      require_computable(graph_.type(id).type);
      const bool was_tensor = held(id).tensor.has_value();
      Tensor tensor = whole_value(id);
      const bool is_taken = std::count(taken_.begin(), taken_.end(), tensor.id) != 0;
      if (is_taken || !was_tensor) tensor = network_.identity(tensor);
      taken_.push_back(tensor.id);
      const std::string name = "output" + std::to_string(written_.outputs.size());
      network_.mark_output(tensor, name);
      written_.outputs.push_back(name);
    } catch (const LoweringError& error) {
      fail(node, error.what());
    }
  }
}

Tensor NetworkWriter::narrow_value(ir::ValueId id) {
  const ir::TensorType& type = graph_.type(id);
  const bool is_conversion = std::holds_alternative<ir::Convert>(node_->operation);
  if (!(is_conversion && to_nv(type.type))) require_computable(type.type);
  Held& value = held(id);
  if (!value.tensor && value.uniform) {
    const Shape ones(type.shape.size(), 1);
    value.tensor = constants().array(network_, {{type.type, ones}, {*value.uniform}});
  } else if (!value.tensor && value.known) {
    value.tensor = constants().array(network_, *value.known);
  } else if (!value.tensor) {
    value.tensor =
        network_.constant(type.type, type.shape, value.source->bytes, value.source->name);
  }
  return *value.tensor;
}

Tensor NetworkWriter::whole_value(ir::ValueId id) {
  const Tensor x = narrow_value(id);
  const Shape& shape = graph_.type(id).shape;
  if (x.shape == shape) return x;
  Shape stride;
  for (std::size_t i = 0; i < shape.size(); ++i) stride.push_back(x.shape[i] == shape[i] ? 1 : 0);
  const Tensor repeated = network_.slice(x, Shape(shape.size(), 0), shape, stride);
  held(id).tensor = repeated;
  return repeated;
}

Tensor NetworkWriter::reshaped_value(ir::ValueId id, const Shape& shape) {
  const ir::TensorType& type = graph_.type(id);
  const Held& value = held(id);
  if (value.source) {
    require_computable(type.type);
    return network_.constant(type.type, shape, value.source->bytes, value.source->name);
  }
  if (value.known && !value.uniform) {
    require_computable(type.type);
    return constants().array(network_, {{type.type, shape}, value.known->elements});
  }
  return reshaped(whole_value(id), shape);
}

Tensor NetworkWriter::transposed(const Tensor& x, const Shape& permutation) {
  const bool is_identity = std::is_sorted(permutation.begin(), permutation.end());
  return is_identity ? x : network_.transpose(x, permutation);
}

// Undoes transposed(): dimension i of `moved` is order[i] of the result.
Tensor NetworkWriter::ordered_back(const Tensor& moved, const Shape& order) {
  Shape back(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    back[static_cast<std::size_t>(order[i])] = static_cast<std::int64_t>(i);
  }
  return transposed(moved, back);
}

// Whether the value becomes this type wherever it is read.
bool NetworkWriter::is_read_as(ir::ValueId id, Type type) const {
  const auto& readers = readers_[static_cast<std::size_t>(id)];
  return !is_output_[static_cast<std::size_t>(id)] && !readers.empty() &&
         std::all_of(readers.begin(), readers.end(), [&](const ir::Node* reader) {
           return std::holds_alternative<ir::Convert>(reader->operation) &&
                  graph_.type(reader->results[0]).type == type;
         });
}

// How many of the first elements along a dimension are read.
std::int64_t NetworkWriter::most_read(ir::ValueId id, std::int64_t dim) const {
  const std::int64_t all = graph_.type(id).extent(dim);
  if (is_output_[static_cast<std::size_t>(id)]) return all;
  std::int64_t most = 0;
  for (const ir::Node* reader : readers_[static_cast<std::size_t>(id)]) {
    const auto* slice = std::get_if<ir::Slice>(&reader->operation);
    if (slice == nullptr) return all;
    most = std::max(most, slice->end[static_cast<std::size_t>(dim)]);
  }
  return most;
}

}  // namespace graphnet::tensorrt
