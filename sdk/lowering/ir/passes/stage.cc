// SPDX-License-Identifier: MIT
#include "lowering/ir/passes/stage.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "lowering/ir/graph_emitter.h"

namespace graphnet::lowering::ir {

namespace {

// A broadcast bias would cost more to read than to make.
bool is_cheap(const Operation& operation) {
  return std::holds_alternative<Broadcast>(operation) ||
         std::holds_alternative<Reshape>(operation) || std::holds_alternative<Slice>(operation);
}

class Split {
 public:
  explicit Split(Graph graph) : graph_(std::move(graph)) {}

  StagedGraph run() {
    find_cut();
    StagedGraph staged;
    for (std::size_t id = 0; id < is_cut_.size(); ++id) {
      if (is_cut_[id]) staged.bind.outputs.push_back(static_cast<ValueId>(id));
    }
    if (!staged.bind.outputs.empty()) {
      // What both need exists twice: it is made of weights, or of small constants.
      staged.bind.nodes = graph_.nodes;
      staged.bind.values = graph_.values;
      staged.bind.origins = graph_.origins;
      staged.bind = without_dead_nodes(std::move(staged.bind));
    }
    staged.call = without_dead_nodes(with_bound_parameters());
    return staged;
  }

 private:
  // Values that the call needs and bind can give it.
  void find_cut() {
    const std::vector<Stage> stages = stages_of(graph_);
    is_cut_.assign(graph_.values.size(), false);
    std::vector<bool> is_needed(graph_.values.size(), false);
    for (const ValueId output : graph_.outputs) is_needed[static_cast<std::size_t>(output)] = true;
    for (std::size_t i = graph_.nodes.size(); i-- > 0;) {
      const Node& node = graph_.nodes[i];
      bool is_read = false;
      for (const ValueId result : node.results) {
        const auto id = static_cast<std::size_t>(result);
        if (!is_needed[id]) continue;
        const bool is_parameter = std::holds_alternative<Parameter>(node.operation);
        is_cut_[id] = stages[id] == Stage::kBind && !is_parameter && !is_cheap(node.operation);
        is_read |= !is_cut_[id];
      }
      if (!is_read) continue;
      for (const ValueId operand : node.operands) {
        is_needed[static_cast<std::size_t>(operand)] = true;
      }
    }
  }

  // The graph with a parameter in place of each value that is cut.
  Graph with_bound_parameters() {
    Graph call;
    call.values = graph_.values;
    call.outputs = graph_.outputs;
    call.origins = std::move(graph_.origins);
    const auto add = [&call](Node node) {
      for (const ValueId result : node.results) {
        call.values[static_cast<std::size_t>(result)].node =
            static_cast<std::int32_t>(call.nodes.size());
      }
      call.nodes.push_back(std::move(node));
    };
    // Parameters are numbered as the outputs of bind: by value.
    std::vector<std::int64_t> numbers(is_cut_.size(), 0);
    for (std::size_t id = 0, next = 0; id < is_cut_.size(); ++id) {
      if (is_cut_[id]) numbers[id] = static_cast<std::int64_t>(next++);
    }
    for (Node& node : graph_.nodes) {
      // All results of a node are of one stage, and what is cut needs no other node in the call.
      bool is_replaced = false;
      for (const ValueId result : node.results) {
        const auto id = static_cast<std::size_t>(result);
        if (!is_cut_[id]) continue;
        is_replaced = true;
        add({Parameter{ParameterSource::kBound, numbers[id]}, {}, {result}, node.origin});
      }
      if (!is_replaced) add(std::move(node));
    }
    return call;
  }

  Graph graph_;
  std::vector<bool> is_cut_;  ///< by value
};

}  // namespace

std::vector<Stage> stages_of(const Graph& graph) {
  std::vector<Stage> stages(graph.values.size(), Stage::kKnown);
  for (const Node& node : graph.nodes) {
    Stage stage = own_stage(node.operation);
    for (const ValueId operand : node.operands) {
      stage = std::max(stage, stages[static_cast<std::size_t>(operand)]);
    }
    for (const ValueId result : node.results) stages[static_cast<std::size_t>(result)] = stage;
  }
  return stages;
}

StagedGraph split_by_stage(Graph graph) {
  return Split(std::move(graph)).run();
}

}  // namespace graphnet::lowering::ir
