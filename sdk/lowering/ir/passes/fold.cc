// SPDX-License-Identifier: MIT
#include "lowering/ir/passes/fold.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lowering/ir/graph_emitter.h"
#include "lowering/ir/interpret.h"

namespace graphnet::lowering::ir {

namespace {

bool is_leaf(const Operation& operation) {
  return std::holds_alternative<Constant>(operation) || std::holds_alternative<Splat>(operation) ||
         std::holds_alternative<Iota>(operation);
}

Operation leaf_of(const Array& array) {
  const Number first = array.elements.front();
  const bool is_equal = std::all_of(array.elements.begin(), array.elements.end(),
                                    [&](const Number& each) { return each == first; });
  // A splat says a real number as a double, and not which zero it is.
  const bool is_splat = is_equal && first.real() != 0 && first.imag() == 0 &&
                        first.real() == static_cast<long double>(static_cast<double>(first.real()));
  if (is_splat) return Splat{static_cast<double>(first.real())};
  std::string bytes(array.elements.size() * static_cast<std::size_t>(bytes_of(array.type.type)),
                    '\0');
  write_array(array, bytes.data());
  return Constant{SharedBytes(bytes)};
}

class Folding {
 public:
  explicit Folding(Graph graph) : graph_(std::move(graph)), known_(graph_.values.size()) {}

  Graph run() {
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) visit(graph_.nodes[i]);
    return without_dead_nodes(std::move(graph_));
  }

 private:
  std::optional<Array>& known(ValueId id) { return known_[static_cast<std::size_t>(id)]; }

  void visit(Node& node) {
    std::vector<TensorType> types;
    for (const ValueId id : node.results) types.push_back(graph_.type(id));
    const bool is_small = std::all_of(types.begin(), types.end(), [](const TensorType& type) {
      return num_elements(type.shape) > 0 && num_elements(type.shape) <= kMostFoldedElements;
    });
    std::vector<const Array*> operands;
    for (const ValueId id : node.operands) {
      if (known(id)) operands.push_back(&*known(id));
    }
    const bool is_known = !std::holds_alternative<Parameter>(node.operation) &&
                          !std::holds_alternative<Composite>(node.operation) &&
                          operands.size() == node.operands.size();
    if (!is_small || !is_known) return;
    try {
      std::vector<Array> results = evaluate(node.operation, operands, types);
      for (std::size_t i = 0; i < results.size(); ++i) known(node.results[i]) = results[i];
      if (is_leaf(node.operation) || results.size() != 1) return;
      node.operation = leaf_of(results[0]);
      node.operands.clear();
    } catch (const LoweringError&) {
      return;  // It has no meaning for the interpreter.
    }
  }

  Graph graph_;
  std::vector<std::optional<Array>> known_;  ///< by value
};

}  // namespace

Graph fold(Graph graph) {
  return Folding(std::move(graph)).run();
}

}  // namespace graphnet::lowering::ir
