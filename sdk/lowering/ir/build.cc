// SPDX-License-Identifier: MIT
#include "lowering/ir/build.h"

#include <algorithm>
#include <map>
#include <utility>

#include "lowering/ir/graph_emitter.h"

namespace graphnet::lowering::ir {

namespace {

Type type_of_value(const gn_value& value) {
  const auto type = type_of(value.dtype);
  if (!type) throw LoweringError("a value of an unknown element type");
  return *type;
}

TensorType tensor_type_of(const gn_value& value) {
  const View<std::int64_t> shape = shape_of(value);
  return {type_of_value(value), {shape.begin(), shape.end()}};
}

bool holds_values(const gn_argument& argument) {
  return argument.kind == GN_ARGUMENT_VALUE || argument.kind == GN_ARGUMENT_VALUES;
}

std::string text_of(gn_string text) {
  return {text.data, text.size};
}

/// Ids of the tensors among the arguments, each once, in order.
std::vector<std::int64_t> operands_of(const gn_node& node) {
  std::vector<std::int64_t> ids;
  for (const gn_argument& argument : arguments_of(node)) {
    if (!holds_values(argument)) continue;
    for (const std::int64_t id : integers_of(argument)) {
      if (id >= 0 && std::find(ids.begin(), ids.end(), id) == ids.end()) ids.push_back(id);
    }
  }
  return ids;
}

decltype(Argument::value) value_of(const gn_argument& argument,
                                   const std::vector<std::int64_t>& operands) {
  const auto operand = [&operands](std::int64_t id) {
    const auto found = std::find(operands.begin(), operands.end(), id);
    return Operand{id < 0 ? -1 : static_cast<std::int32_t>(found - operands.begin())};
  };
  const View<std::int64_t> integers = integers_of(argument);
  switch (argument.kind) {
    case GN_ARGUMENT_VALUE:
      return operand(integers[0]);
    case GN_ARGUMENT_VALUES: {
      std::vector<Operand> list;
      for (const std::int64_t id : integers) list.push_back(operand(id));
      return list;
    }
    case GN_ARGUMENT_BOOL:
      return argument.integer != 0;
    case GN_ARGUMENT_INT:
      return argument.integer;
    case GN_ARGUMENT_FLOAT:
      return argument.number;
    case GN_ARGUMENT_STRING:
      return text_of(argument.text);
    case GN_ARGUMENT_BOOLS:
    case GN_ARGUMENT_INTS:
      return Shape(integers.begin(), integers.end());
    case GN_ARGUMENT_FLOATS:
      return std::vector<double>(argument.numbers, argument.numbers + argument.count);
    case GN_ARGUMENT_DTYPE:
      if (const auto type = type_of(argument.dtype)) return *type;
      return std::monostate();
    default:
      return std::monostate();
  }
}

std::vector<std::int32_t> count_uses(const gn_graph_body& body) {
  std::vector<std::int32_t> uses(body.num_values, 0);
  const auto count = [&uses](std::int64_t id) {
    if (id >= 0) ++uses[static_cast<std::size_t>(id)];
  };
  for (const gn_node& node : nodes_of(body)) {
    for (const gn_argument& argument : arguments_of(node)) {
      if (!holds_values(argument)) continue;
      for (const std::int64_t id : integers_of(argument)) count(id);
    }
  }
  for (const std::int64_t id : outputs_of(body)) count(id);
  return uses;
}

Progress progress_over(const gn_graph_body& body) {
  Progress progress;
  progress.values.resize(body.num_values);
  progress.num_uses = count_uses(body);
  progress.convolutions.resize(body.num_values);
  progress.unexpanded.resize(body.num_values);
  return progress;
}

// A normalisation becomes part of the convolution in front of it where that may be rewritten.
bool joins_convolution(Op op, const Call& call) {
  const bool is_normalisation = op == Op::batch_norm || op == Op::instance_norm;
  return is_normalisation && call.b.emit.rewrites() && call.open_convolution("input").has_value();
}

/// Lowers every node once, in order, by the decomposition of its operator.
class GraphWalk {
 public:
  GraphWalk(const gn_graph_body& body, bool rewrites, View<UnsupportedOp> unsupported)
      : body_(body),
        unsupported_(unsupported),
        emitter_(rewrites),
        builder_(emitter_),
        progress_(progress_over(body)),
        inside_(progress_) {}

  Built run() {
    give_leaves();
    for (const gn_node& node : nodes_of(body_)) lower(node);
    if (!failures_.empty()) return {{}, std::move(failures_)};
    std::vector<Tensor> outputs;
    for (const std::int64_t id : outputs_of(body_)) outputs.push_back(lowered(id));
    return {emitter_.finish(outputs), {}};
  }

 private:
  const Tensor& lowered(std::int64_t id) const {
    return *progress_.values[static_cast<std::size_t>(id)];
  }

  void give_leaves() {
    const std::vector<Tensor> parameters = emitter_.add_parameters(body_);
    for (std::size_t id = 0; id < body_.num_values; ++id) {
      const gn_value& value = body_.values[id];
      if (value.kind == GN_VALUE_INPUT || value.kind == GN_VALUE_WEIGHT) {
        progress_.values[id] = parameters[id];
      } else if (value.kind == GN_VALUE_CONSTANT) {
        progress_.values[id] = constant(value);
      }
    }
  }

  /// Without an id, as of any parameter, for an unknown element type.
  Tensor constant(const gn_value& value) {
    if (!type_of(value.dtype)) return {};
    const TensorType type = tensor_type_of(value);
    return emitter_.constant(type.type, type.shape, value.data);
  }

  void lower(const gn_node& node) {
    const Op op = find_op({node.op.data, node.op.size});
    emitter_.begin_node({node.op.data, node.op.size}, {node.where.data, node.where.size});
    try {
      store(node, results_of(node, op));
    } catch (const LoweringError& error) {
      keep_unlowered(node, error.what());
    }
  }

  Tensors results_of(const gn_node& node, Op op) {
    if (op == Op::kCount) throw LoweringError("operator is not in sdk/lowering/ops.def");
    for (const UnsupportedOp& each : unsupported_) {
      if (each.op == op) throw LoweringError(each.reason);
    }
    for (const std::int64_t id : operands_of(node)) {
      if (lowered(id).id < 0) throw LoweringError("an operand of an unknown element type");
    }
    Call call(body_, node, progress_, builder_);
    if (!is_composite(op) || joins_convolution(op, call)) return decomposition_of(op)(call);
    return composed(node, op);
  }

  /// The operator as one node, with its decomposition as a graph of its own.
  Tensors composed(const gn_node& node, Op op) {
    const std::vector<std::int64_t> ids = operands_of(node);
    GraphEmitter body(emitter_.rewrites());
    Tensors operands;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      operands.push_back(lowered(ids[i]));
      inside_.values[static_cast<std::size_t>(ids[i])] =
          body.parameter(ParameterSource::kInput, static_cast<std::int64_t>(i),
                         {operands[i].type, operands[i].shape});
    }
    Builder builder(body);
    Call call(body_, node, inside_, builder);
    const Tensors results = decomposition_of(op)(call);
    Composite composite = described(node, ids);
    for (const Tensor& each : results) composite.results.push_back({each.type, each.shape});
    composite.body = std::make_shared<const Graph>(body.finish(results));
    return emitter_.add(std::move(composite), operands);
  }

  static Composite described(const gn_node& node, const std::vector<std::int64_t>& operands) {
    Composite composite;
    composite.op = text_of(node.op);
    for (const gn_argument& argument : arguments_of(node)) {
      composite.arguments.push_back({text_of(argument.name), value_of(argument, operands)});
    }
    return composite;
  }

  void keep_unlowered(const gn_node& node, const char* why_not) {
    try {
      const std::vector<std::int64_t> ids = operands_of(node);
      Composite composite = described(node, ids);
      composite.why_not = why_not;
      for (const std::int64_t id : graphnet::results_of(node)) {
        const bool is_read = id >= 0;
        composite.results.push_back(is_read
                                        ? tensor_type_of(body_.values[static_cast<std::size_t>(id)])
                                        : TensorType{Type::kBool, {0}});
      }
      Tensors operands;
      for (const std::int64_t id : ids) operands.push_back(lowered(id));
      store(node, emitter_.add(std::move(composite), operands));
    } catch (const LoweringError&) {
      failures_.push_back({text_of(node.op), text_of(node.where), why_not});
      for (const std::int64_t id : graphnet::results_of(node)) {
        if (id >= 0) progress_.values[static_cast<std::size_t>(id)] = Tensor();
      }
    }
  }

  void store(const gn_node& node, const Tensors& results) {
    for (std::size_t i = 0; i < node.num_results; ++i) {
      if (node.results[i] < 0) continue;
      const auto id = static_cast<std::size_t>(node.results[i]);
      const TensorType recorded = tensor_type_of(body_.values[id]);
      if (i >= results.size() || results[i].shape != recorded.shape ||
          results[i].type != recorded.type) {
        const std::string ours =
            i < results.size() ? describe(results[i].type, results[i].shape) : "nothing";
        throw LoweringError("lowering gives " + ours + " where eager gives " +
                            describe(recorded.type, recorded.shape));
      }
      progress_.values[id] = results[i];
    }
  }

  const gn_graph_body& body_;
  const View<UnsupportedOp> unsupported_;
  GraphEmitter emitter_;
  Builder builder_;
  Progress progress_;
  Progress inside_;  ///< values: operands of the composite that is being made
  std::vector<Failure> failures_;
};

}  // namespace

Built build(const gn_graph_body& body, bool rewrites, View<UnsupportedOp> unsupported) {
  return GraphWalk(body, rewrites, unsupported).run();
}

std::vector<Failure> unlowered(const Graph& graph) {
  std::vector<Failure> failures;
  for (const Node& node : graph.nodes) {
    const auto* composite = std::get_if<Composite>(&node.operation);
    if (composite == nullptr || composite->body) continue;
    const Origin& origin = graph.origins[static_cast<std::size_t>(node.origin)];
    failures.push_back({origin.op, origin.where, composite->why_not});
  }
  return failures;
}

}  // namespace graphnet::lowering::ir
