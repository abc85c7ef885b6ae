// SPDX-License-Identifier: MIT
#include "lowering/ir/verify.h"

#include <string>
#include <vector>

#include "lowering/ir/operation.h"

namespace graphnet::lowering::ir {

namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph) : graph_(graph), is_defined_(graph.values.size(), false) {}

  void check() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) check_node(i);
    for (const ValueId output : graph_.outputs) {
      if (!is_known(output)) throw LoweringError("an output that no node makes");
    }
    for (const bool is_defined : is_defined_) {
      if (!is_defined) throw LoweringError("a value that no node makes");
    }
  }

 private:
  bool is_known(ValueId id) const {
    return id >= 0 && static_cast<std::size_t>(id) < is_defined_.size() &&
           is_defined_[static_cast<std::size_t>(id)];
  }

  void check_node(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const auto fail = [&](const std::string& what) {
      throw LoweringError("node " + std::to_string(index) + " (" +
                          std::string(name_of(node.operation)) + "): " + what);
    };
    if (node.origin >= static_cast<std::int32_t>(graph_.origins.size())) fail("origin is unknown");
    std::vector<TensorType> operands;
    for (const ValueId operand : node.operands) {
      if (!is_known(operand)) fail("reads a value before a node makes it");
      operands.push_back(graph_.value(operand).type);
    }
    std::vector<TensorType> results;
    for (const ValueId result : node.results) {
      const bool is_there = result >= 0 && static_cast<std::size_t>(result) < graph_.values.size();
      if (!is_there || is_known(result)) fail("assigns a value that is assigned or not there");
      if (graph_.value(result).node != static_cast<std::int32_t>(index)) {
        fail("its result names another node");
      }
      is_defined_[static_cast<std::size_t>(result)] = true;
      results.push_back(graph_.value(result).type);
    }
    if (results.empty()) fail("has no result");
    if (const auto* composite = std::get_if<Composite>(&node.operation)) {
      check_body(*composite, operands, fail);
    }
    const std::vector<TensorType> inferred = infer_or_fail(node, operands, results[0], fail);
    if (inferred == results) return;
    fail("gives " + describe(inferred[0].type, inferred[0].shape) + ", its result is " +
         describe(results[0].type, results[0].shape));
  }

  template <typename Fail>
  static void check_body(const Composite& composite, const std::vector<TensorType>& operands,
                         Fail fail) {
    if (!composite.body) {
      if (composite.why_not.empty()) fail("has no body and no reason for that");
      return;
    }
    const Graph& body = *composite.body;
    verify(body);
    for (const Node& node : body.nodes) {
      const auto* parameter = std::get_if<Parameter>(&node.operation);
      if (parameter == nullptr) continue;
      const auto index = static_cast<std::size_t>(parameter->index);
      const bool fits = parameter->source == ParameterSource::kInput && index < operands.size() &&
                        body.type(node.results[0]) == operands[index];
      if (!fits) fail("its body has inputs that are not its operands");
    }
    std::vector<TensorType> outputs;
    for (const ValueId output : body.outputs) outputs.push_back(body.type(output));
    if (outputs != composite.results) fail("its body has other outputs than its results");
  }

  template <typename Fail>
  static std::vector<TensorType> infer_or_fail(const Node& node,
                                               const std::vector<TensorType>& operands,
                                               const TensorType& given, Fail fail) {
    try {
      return infer(node.operation, operands, given);
    } catch (const LoweringError& error) {
      fail(error.what());
    }
    return {};
  }

  const Graph& graph_;
  std::vector<bool> is_defined_;
};

}  // namespace

void verify(const Graph& graph) {
  Verifier(graph).check();
}

}  // namespace graphnet::lowering::ir
