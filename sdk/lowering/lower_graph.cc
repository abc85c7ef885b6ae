// SPDX-License-Identifier: MIT
#include "lowering/lower_graph.h"

#include <algorithm>
#include <map>
#include <utility>

namespace graphnet::lowering {

namespace {

Type type_of_value(const gn_value& value) {
  const auto type = type_of(value.dtype);
  if (!type) throw LoweringError("a value of an unknown element type");
  return *type;
}

std::vector<std::int32_t> count_uses(const gn_graph_body& body) {
  std::vector<std::int32_t> uses(body.num_values, 0);
  const auto count = [&uses](std::int64_t id) {
    if (id >= 0) ++uses[static_cast<std::size_t>(id)];
  };
  for (const gn_node& node : nodes_of(body)) {
    for (const gn_argument& argument : arguments_of(node)) {
      if (argument.kind != GN_ARGUMENT_VALUE && argument.kind != GN_ARGUMENT_VALUES) continue;
      for (const std::int64_t id : integers_of(argument)) count(id);
    }
  }
  for (const std::int64_t id : outputs_of(body)) count(id);
  return uses;
}

class Walk {
 public:
  Walk(const gn_graph_body& body, Emitter& emitter, View<UnsupportedOp> unsupported)
      : body_(body), unsupported_(unsupported), builder_(emitter) {
    progress_.values.resize(body.num_values);
    progress_.convolutions.resize(body.num_values);
    progress_.unexpanded.resize(body.num_values);
    progress_.num_uses = count_uses(body);
  }

  void give_leaves(const std::vector<Tensor>& parameters) {
    for (std::size_t id = 0; id < body_.num_values; ++id) {
      const gn_value& value = body_.values[id];
      if (value.kind == GN_VALUE_INPUT || value.kind == GN_VALUE_WEIGHT) {
        progress_.values[id] = parameters[id];
      } else if (value.kind == GN_VALUE_CONSTANT) {
        const View<std::int64_t> shape = shape_of(value);
        progress_.values[id] =
            builder_.emit.constant(type_of_value(value), {shape.begin(), shape.end()}, value.data);
      }
    }
  }

  void lower(const gn_node& node) {
    const std::string_view name(node.op.data, node.op.size);
    const Op op = find_op(name);
    if (op == Op::kCount) return fail(node, "operator is not in sdk/lowering/ops.def");
    for (const UnsupportedOp& each : unsupported_) {
      if (each.op == op) return fail(node, each.reason);
    }
    if (!operands_are_lowered(node)) return;
    builder_.emit.begin_node(name, {node.where.data, node.where.size});
    try {
      Call call(body_, node, progress_, builder_);
      store(node, decomposition_of(op)(call));
    } catch (const LoweringError& error) {
      fail(node, error.what());
    }
  }

  Lowered finish() {
    Lowered lowered;
    lowered.failures = std::move(failures_);
    if (!lowered.failures.empty()) return lowered;
    for (const std::int64_t id : outputs_of(body_)) {
      lowered.outputs.push_back(*progress_.values[static_cast<std::size_t>(id)]);
    }
    return lowered;
  }

 private:
  bool operands_are_lowered(const gn_node& node) const {
    for (const gn_argument& argument : arguments_of(node)) {
      if (argument.kind != GN_ARGUMENT_VALUE && argument.kind != GN_ARGUMENT_VALUES) continue;
      for (const std::int64_t id : integers_of(argument)) {
        if (id >= 0 && !progress_.values[static_cast<std::size_t>(id)]) return false;
      }
    }
    return true;
  }

  void store(const gn_node& node, const Tensors& results) {
    for (std::size_t i = 0; i < node.num_results; ++i) {
      if (node.results[i] < 0) continue;
      const auto id = static_cast<std::size_t>(node.results[i]);
      const gn_value& value = body_.values[id];
      const View<std::int64_t> recorded = shape_of(value);
      const Shape shape(recorded.begin(), recorded.end());
      const Type type = type_of_value(value);
      if (i >= results.size() || results[i].shape != shape || results[i].type != type) {
        const std::string ours =
            i < results.size() ? describe(results[i].type, results[i].shape) : "nothing";
        return fail(node, "lowering gives " + ours + " where eager gives " + describe(type, shape));
      }
      progress_.values[id] = results[i];
    }
  }

  void fail(const gn_node& node, std::string reason) {
    failures_.push_back({std::string(node.op.data, node.op.size),
                         std::string(node.where.data, node.where.size), std::move(reason)});
  }

  const gn_graph_body& body_;
  const View<UnsupportedOp> unsupported_;
  Builder builder_;
  Progress progress_;
  std::vector<Failure> failures_;
};

}  // namespace

Lowered lower_graph(const gn_graph_body& body, Emitter& emitter,
                    const std::vector<Tensor>& parameters, View<UnsupportedOp> unsupported) {
  Walk walk(body, emitter, unsupported);
  walk.give_leaves(parameters);
  for (const gn_node& node : nodes_of(body)) walk.lower(node);
  return walk.finish();
}

std::string describe_failures(const std::vector<Failure>& failures) {
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> locations;
  for (const Failure& failure : failures) {
    locations[{failure.op, failure.reason}].push_back(failure.where);
  }
  std::string text = std::to_string(failures.size()) + (failures.size() == 1 ? " node" : " nodes");
  const char* separator = ": ";
  for (const auto& [what, where] : locations) {
    text += separator + what.first;
    if (where.size() > 1) text += " (" + std::to_string(where.size()) + " times)";
    if (!where.front().empty()) text += " at " + where.front();
    text += ": " + what.second;
    separator = "; ";
  }
  return text;
}

}  // namespace graphnet::lowering
