// SPDX-License-Identifier: MIT
#include "decoder.h"

#include <algorithm>
#include <openvino/op/constant.hpp>
#include <string>
#include <utility>
#include <vector>

#include "graphnet/plugin.h"
#include "graphnet/scalar_type.h"
#include "types.h"

namespace graphnet::openvino {

namespace {

namespace type = ov::frontend::type;
using ov::frontend::pytorch::DecoderRTInfo;
using ov::frontend::pytorch::TorchDecoder;
using ov::op::v0::Constant;

using Integers = std::vector<std::int64_t>;

/// A value: the frontend's id (from 1), what it is, and its shape.
struct Value {
  std::size_t id = 0;
  ov::Any kind = type::PyNone();
  ov::PartialShape shape = {};
};

/// One node, or the graph. The frontend asks for no more than this of TorchScript's nodes.
class Decoder : public TorchDecoder {
 public:
  void add_input(const Value& value) {
    inputs_.push_back(value);
    input_ids_.push_back(value.id);
    names_.push_back(std::to_string(value.id));
  }
  void add_output(const Value& value) {
    outputs_.push_back(value);
    output_ids_.push_back(value.id);
    output_names_.push_back(std::to_string(value.id));
  }

  const std::vector<std::size_t>& inputs() const override { return input_ids_; }
  const std::string& get_input_debug_name(std::size_t i) const override { return names_.at(i); }
  const std::string& get_input_signature_name(std::size_t i) const override { return names_.at(i); }
  ov::PartialShape get_input_shape(std::size_t i) const override { return inputs_.at(i).shape; }
  const std::vector<std::size_t>& get_input_strides(std::size_t) const override { return none_; }
  ov::Any get_input_type(std::size_t i) const override { return inputs_.at(i).kind; }
  bool input_is_none(std::size_t i) const override {
    return i >= inputs_.size() || inputs_[i].kind.is<type::PyNone>();
  }

  const std::string& get_output_debug_name(std::size_t i) const override {
    return output_names_.at(i);
  }
  ov::PartialShape get_output_shape(std::size_t i) const override { return outputs_.at(i).shape; }
  ov::Any get_output_type(std::size_t i) const override { return outputs_.at(i).kind; }
  std::size_t num_of_outputs() const override { return outputs_.size(); }
  const std::vector<std::size_t>& outputs() const override { return output_ids_; }
  std::size_t output(std::size_t i) const override { return output_ids_.at(i); }

  const std::string& get_op_type() const override { return op_; }
  const std::string& get_schema() const override { return schema_; }
  const std::string& decoder_type_name() const override { return style_; }
  std::shared_ptr<ov::Node> mark_node(std::shared_ptr<ov::Node> node) const override {
    return node;
  }
  bool may_produce_alias(std::size_t, std::size_t) const override { return false; }
  ov::OutputVector as_constant() const override {
    return constant_ ? ov::OutputVector{constant_} : ov::OutputVector{};
  }
  const std::string& as_string() const override { return text_; }
  DecoderRTInfo get_rt_info() const override { return {}; }
  std::size_t get_subgraph_size() const override { return nodes_.empty() && !is_graph_ ? 0 : 1; }
  void visit_subgraph(std::function<void(std::shared_ptr<TorchDecoder>)> visit) const override {
    for (const auto& node : nodes_) visit(node);
  }

  // Of other styles of decoders.
  ov::Any const_input(std::size_t) const override { return {}; }
  ov::OutputVector try_decode_get_attr() const override { return {}; }
  std::size_t output_list_size() const override { return 0; }
  std::shared_ptr<TorchDecoder> get_subgraph_decoder(std::size_t) const override { return nullptr; }
  bool is_input_inlined(std::size_t) const override { return false; }
  std::shared_ptr<TorchDecoder> get_inlined_input_decoder(std::size_t) const override {
    return nullptr;
  }
  ov::Any get_attribute(const std::string&) const override { return {}; }
  std::size_t get_named_input(const std::string&) const override { return 0; }
  bool has_converter() const override { return false; }
  ov::OutputVector convert(const ov::frontend::NodeContext*) const override { return {}; }

 protected:
  friend class GraphDecoder;
  std::string op_;
  std::string text_;                    // of a constant string
  std::shared_ptr<ov::Node> constant_;  // of another constant
  std::vector<std::string> names_;      // of inputs
  std::vector<std::shared_ptr<Decoder>> nodes_;
  bool is_graph_ = false;

 private:
  std::string schema_ = "NONE";
  std::string style_ = "ts";
  std::vector<Value> inputs_;
  std::vector<Value> outputs_;
  std::vector<std::size_t> input_ids_;
  std::vector<std::size_t> output_ids_;
  std::vector<std::string> output_names_;
  std::vector<std::size_t> none_;
};

// Operators whose results are one list. Their nodes have no more to say that they are.
bool gives_list(std::string_view op) {
  constexpr std::string_view kOps[] = {
      "aten::chunk",  "aten::split",    "aten::split_with_sizes", "aten::tensor_split",
      "aten::unbind", "aten::meshgrid", "aten::unsafe_chunk",     "aten::unsafe_split"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

// floor(a / b) of integers.
bool divides_down(const gn_graph_body& body, const gn_node& node) {
  const std::string_view op = from_gn(node.op);
  const gn_argument* mode = find_argument(node, "rounding_mode");
  const bool is_floor =
      op.substr(0, 18) == "aten::floor_divide" ||
      (op.substr(0, 10) == "aten::div." && mode != nullptr && from_gn(mode->text) == "floor");
  const std::int64_t result = node.num_results == 0 ? -1 : node.results[0];
  if (!is_floor || result < 0) return false;
  const std::uint8_t code = body.values[result].dtype.code;
  return code == kDLInt || code == kDLUInt;
}

ov::Any tensor_kind(const gn_value& value) {
  return type::Tensor(element_type(value.dtype));
}

/// The graph; it makes its nodes when it is made.
class GraphDecoder final : public Decoder {
 public:
  explicit GraphDecoder(const gn_graph_body& body) : body_(body), values_(body.num_values) {
    is_graph_ = true;
    add_parameters(GN_VALUE_INPUT);
    add_parameters(GN_VALUE_WEIGHT);
    for (std::size_t id = 0; id < body.num_values; ++id) {
      const gn_value& value = body.values[id];
      if (value.data != nullptr && !is_empty(value)) values_[id] = known(value);
    }
    for (const gn_node& node : nodes_of(body)) add(node);
    for (const std::int64_t id : outputs_of(body)) {
      if (!is_empty(body.values[id])) add_output(values_[static_cast<std::size_t>(id)]);
    }
  }

 private:
  Value made(ov::Any kind, ov::PartialShape shape = {}) {
    return {next_id_++, std::move(kind), std::move(shape)};
  }

  void add_parameters(std::uint32_t kind) {
    for (std::size_t id = 0; id < body_.num_values; ++id) {
      const gn_value& value = body_.values[id];
      if (value.kind != kind || value.data != nullptr || is_empty(value)) continue;
      values_[id] = made(tensor_kind(value), shape_of_value(value));
      add_input(values_[id]);
      names_.back() = parameter_name({kind == GN_VALUE_WEIGHT, value.index});
    }
  }

  Decoder& add_node(std::string op) {
    nodes_.push_back(std::make_shared<Decoder>());
    nodes_.back()->op_ = std::move(op);
    return *nodes_.back();
  }

  Value constant(std::shared_ptr<ov::Node> node, ov::Any kind, ov::PartialShape shape = {}) {
    Decoder& made_here = add_node("prim::Constant");
    made_here.constant_ = std::move(node);
    const Value value = made(std::move(kind), std::move(shape));
    made_here.add_output(value);
    return value;
  }

  /// A tensor whose elements are known; copied.
  Value known(const gn_value& value) {
    const ov::Shape shape = shape_of_value(value);
    return constant(std::make_shared<Constant>(element_type(value.dtype), shape, value.data),
                    tensor_kind(value), shape);
  }

  template <typename Element>
  Value scalar(ov::element::Type_t element, Element value) {
    return constant(Constant::create(ov::element::Type(element), {}, {value}),
                    type::PyScalar(ov::element::Type(element)));
  }
  template <typename Element>
  Value list(ov::element::Type_t element, const std::vector<Element>& values) {
    return constant(Constant::create(ov::element::Type(element), {values.size()}, values),
                    type::List(ov::Any(ov::element::Type(element))));
  }

  Value argument(const gn_argument& argument) {
    switch (argument.kind) {
      case GN_ARGUMENT_VALUE:
        return values_[static_cast<std::size_t>(argument.integers[0])];
      case GN_ARGUMENT_VALUES:
        return tensors(argument);
      case GN_ARGUMENT_BOOL:
        return scalar(ov::element::Type_t::boolean, argument.integer != 0);
      case GN_ARGUMENT_INT:
        return scalar(ov::element::Type_t::i64, argument.integer);
      case GN_ARGUMENT_FLOAT:
        return real(argument.number);
      case GN_ARGUMENT_DTYPE:
        return scalar(ov::element::Type_t::i64,
                      static_cast<std::int64_t>(scalar_type(argument.dtype)));
      case GN_ARGUMENT_BOOLS:
      case GN_ARGUMENT_INTS:
        return list(ov::element::Type_t::i64,
                    Integers(argument.integers, argument.integers + argument.count));
      case GN_ARGUMENT_FLOATS:
        return list(ov::element::Type_t::f32,
                    std::vector<float>(argument.numbers, argument.numbers + argument.count));
      case GN_ARGUMENT_STRING:
        return text(from_gn(argument.text));
      default:
        return constant(nullptr, type::PyNone());
    }
  }

  Value tensors(const gn_argument& argument) {
    std::vector<Value> elements;
    for (const std::int64_t id : integers_of(argument)) {
      if (id >= 0 && is_empty(body_.values[id])) continue;  // of a concatenation: see refusal.h
      elements.push_back(id < 0 ? constant(nullptr, type::PyNone())
                                : values_[static_cast<std::size_t>(id)]);
    }
    Decoder& construct = add_node("prim::ListConstruct");
    for (const Value& each : elements) construct.add_input(each);
    const Value value = made(type::List(ov::Any(type::Tensor(ov::element::dynamic))));
    construct.add_output(value);
    return value;
  }

  void add(const gn_node& node) {
    if (makes_nothing(body_, node)) return;
    std::string op(from_gn(node.op));
    op.resize(std::min(op.find('.'), op.size()));
    if (op == "aten::_to_copy" || op == "aten::copy") return add_conversion(node);
    if (op == "aten::slice_scatter") return add_scatter(node, /*is_slice=*/true);
    if (op == "aten::select_scatter") return add_scatter(node, /*is_slice=*/false);
    if (op == "aten::logit" || op == "aten::special_logit") return add_logit(node);
    if (divides_down(body_, node)) return add_floor_division(node);
    std::vector<Value> arguments;
    for (const gn_argument& each : arguments_of(node)) arguments.push_back(argument(each));
    const bool is_list = gives_list(op);
    Decoder* call = &add_node(std::move(op));
    for (const Value& each : arguments) call->add_input(each);
    if (is_list) {
      const Value results = made(type::List(ov::Any(type::Tensor(ov::element::dynamic))));
      call->add_output(results);
      call = &add_node("prim::ListUnpack");
      call->add_input(results);
    }
    add_results(node, *call);
  }

  /// A node of our own with one result.
  Decoder& call(const char* op, const std::vector<Value>& arguments) {
    Decoder& node = add_node(op);
    for (const Value& each : arguments) node.add_input(each);
    return node;
  }
  Value called(const char* op, const std::vector<Value>& arguments) {
    const Value result = made(type::Tensor(ov::element::dynamic), ov::PartialShape::dynamic());
    call(op, arguments).add_output(result);
    return result;
  }
  Value number(std::int64_t value) { return scalar(ov::element::Type_t::i64, value); }
  Value real(double value) { return scalar(ov::element::Type_t::f32, static_cast<float>(value)); }
  Value text(std::string_view value) {
    const Value made_here = constant(nullptr, type::Str());
    nodes_.back()->text_ = value;
    return made_here;
  }
  Value no() { return scalar(ov::element::Type_t::boolean, false); }

  // The frontend has no _to_copy, and returns the first argument of copy: both are the last tensor
  // among the arguments, in the result's type and shape.
  void add_conversion(const gn_node& node) {
    const gn_argument* source = find_argument(node, "src");
    if (source == nullptr) source = &node.arguments[0];
    const gn_value& result = body_.values[node.results[0]];
    const Value tensor = argument(*source);
    const Value dtype = number(scalar_type(result.dtype));
    const Value none = constant(nullptr, type::PyNone());
    const Value converted = called("aten::to", {tensor, dtype, no(), no(), none});
    const Value shape =
        list(ov::element::Type_t::i64, Integers(result.shape, result.shape + result.rank));
    const Value is_implicit = no();
    add_results(node, call("aten::expand", {converted, shape, is_implicit}));
  }

  // The frontend has no slice_scatter and select_scatter: they are what lies before, the source,
  // and what lies behind, side by side.
  void add_scatter(const gn_node& node, bool is_slice) {
    const auto integer = [&node](const char* name, std::int64_t if_none) {
      const gn_argument* found = find_argument(node, name);
      return found->kind == GN_ARGUMENT_INT ? found->integer : if_none;
    };
    const gn_argument& self = *find_argument(node, "self");
    const gn_value& whole = body_.values[self.integers[0]];
    const std::int64_t dim = (integer("dim", 0) + whole.rank) % whole.rank;
    const std::int64_t extent = whole.shape[dim];
    const auto position = [extent](std::int64_t given) {
      return std::clamp(given < 0 ? given + extent : given, std::int64_t{0}, extent);
    };
    const std::int64_t begin = position(integer(is_slice ? "start" : "index", 0));
    const std::int64_t end =
        is_slice ? std::max(begin, position(integer("end", extent))) : begin + 1;
    const Value target = argument(self);
    Value source = argument(*find_argument(node, "src"));
    if (!is_slice) source = called("aten::unsqueeze", {source, number(dim)});
    std::vector<Value> parts;
    const auto add_slice = [&](std::int64_t from, std::int64_t to) {
      if (from == to) return;
      const Value along = number(dim);
      const Value first = number(from);
      const Value last = number(to);
      const Value step = number(1);
      parts.push_back(called("aten::slice", {target, along, first, last, step}));
    };
    add_slice(0, begin);
    parts.push_back(source);
    add_slice(end, extent);
    const Value list = made(type::List(ov::Any(type::Tensor(ov::element::dynamic))));
    call("prim::ListConstruct", parts).add_output(list);
    const Value along = number(dim);
    add_results(node, call("aten::cat", {list, along}));
  }

  // The frontend has no logit: log(x / (1 - x)), x between eps and 1 - eps.
  void add_logit(const gn_node& node) {
    Value x = argument(node.arguments[0]);
    const gn_argument& eps = *find_argument(node, "eps");
    if (eps.kind == GN_ARGUMENT_FLOAT) {
      const Value low = real(eps.number);
      const Value high = real(1 - eps.number);
      x = called("aten::clamp", {x, low, high});
    }
    const Value one = number(1);
    const Value rest = called("aten::rsub", {x, one, one});
    const Value ratio = called("aten::div", {x, rest});
    add_results(node, call("aten::log", {ratio}));
  }

  // The frontend truncates quotients of integers; without the remainder nothing is left to round.
  void add_floor_division(const gn_node& node) {
    const Value left = argument(node.arguments[0]);
    const Value right = argument(node.arguments[1]);
    const Value remainder = called("aten::remainder", {left, right});
    const Value one = number(1);
    const Value whole = called("aten::sub", {left, remainder, one});
    const Value toward_zero = text("trunc");
    add_results(node, call("aten::div", {whole, right, toward_zero}));
  }

  void add_results(const gn_node& node, Decoder& call) {
    for (const std::int64_t id : results_of(node)) {
      if (id < 0) {
        call.add_output(made(type::Tensor(ov::element::dynamic), ov::PartialShape::dynamic()));
        continue;
      }
      const gn_value& value = body_.values[id];
      Value& result = values_[static_cast<std::size_t>(id)];
      result = made(tensor_kind(value), shape_of_value(value));
      call.add_output(result);
    }
  }

  const gn_graph_body& body_;
  std::vector<Value> values_;  // by id in the body
  std::size_t next_id_ = 1;    // 0 means something else to the frontend
};

}  // namespace

bool makes_nothing(const gn_graph_body& body, const gn_node& node) {
  const View<std::int64_t> results = results_of(node);
  return std::all_of(results.begin(), results.end(),
                     [&](std::int64_t id) { return id < 0 || is_empty(body.values[id]); });
}

std::shared_ptr<TorchDecoder> decode(const gn_graph_body& body) {
  return std::make_shared<GraphDecoder>(body);
}

std::string parameter_name(const Source& source) {
  return (source.is_weight ? "w" : "i") + std::to_string(source.index);
}

Source source_named(const std::string& name) {
  return {name.at(0) == 'w', std::stoul(name.substr(1))};
}

}  // namespace graphnet::openvino
