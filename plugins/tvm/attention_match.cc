// SPDX-License-Identifier: MIT
#include "tvm_plugin/attention_match.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "lowering/builder.h"
#include "tvm_plugin/legalize.h"

namespace graphnet::tvm {

namespace ir = lowering::ir;
using ir::ValueId;
using lowering::Binary;
using lowering::Comparison;
using lowering::Reduction;
using lowering::Shape;
using lowering::Type;

namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// Both sides of an addition are tried: twice as many ways a step.
constexpr std::size_t kMostSteps = 8;

using Readers = std::vector<std::vector<std::int32_t>>;

/// Walks from the second product against the flow of data. Each function looks at the node that
/// makes a value, and notes it as inner if it is what the pattern has there.
class Matcher {
 public:
  Matcher(const ir::Graph& graph, const Readers& readers, const ir::Node& product)
      : graph_(graph), readers_(readers), product_(product) {}

  std::optional<MatchedAttention> run() {
    const ir::TensorType& left = graph_.type(product_.operands[0]);
    if (left.type != Type::kF32) return std::nullopt;
    rows_ = left.extent(1);
    keys_ = left.extent(2);
    found_.values = product_.operands[1];
    const bool has_form = weights(product_.operands[0]) && is_closed();
    // Steps were met from the last one to the first.
    std::reverse(found_.steps.begin(), found_.steps.end());
    return has_form ? std::optional(found_) : std::nullopt;
  }

 private:
  const ir::Node& maker(ValueId id) const { return graph_.maker(id); }
  template <typename Kind>
  const Kind* as(ValueId id) const {
    return std::get_if<Kind>(&maker(id).operation);
  }
  bool is_binary(ValueId id, Binary kind) const {
    const auto* binary = as<ir::BinaryOperation>(id);
    return binary != nullptr && binary->kind == kind;
  }
  bool note(ValueId id) {
    inner_.insert(graph_.value(id).node);
    return true;
  }
  ValueId operand(ValueId id, std::size_t index) const { return maker(id).operands[index]; }

  /// The number that all elements are.
  std::optional<double> number(ValueId id) const {
    while (as<ir::Broadcast>(id) != nullptr || as<ir::Reshape>(id) != nullptr) id = operand(id, 0);
    const auto* splat = as<ir::Splat>(id);
    return splat == nullptr ? std::nullopt : std::optional(splat->value);
  }

  /// A number that can be multiplied by instead of divided by.
  bool has_reciprocal(ValueId id) const {
    const std::optional<double> divisor = number(id);
    return divisor && std::isnormal(static_cast<float>(1 / *divisor));
  }

  /// Scores or weights, in whatever extents of the batch.
  bool has_rows(ValueId id) const {
    const ir::TensorType& type = graph_.type(id);
    return type.type == Type::kF32 && type.rank() >= 2 && type.extent(type.rank() - 2) == rows_ &&
           type.shape.back() == keys_;
  }

  bool weights(ValueId id) {
    if (!has_rows(id)) return false;
    if (as<ir::Reshape>(id) != nullptr) return note(id) && weights(operand(id, 0));
    if (as<ir::Select>(id) != nullptr && found_.steps.empty()) {
      if (number(operand(id, 1)) != 0.0) return false;
      found_.steps.push_back({ir::AttentionStep::kDrop, operand(id, 0)});
      return note(id) && weights(operand(id, 2));
    }
    if (!is_binary(id, Binary::kDivide)) return false;
    const ValueId numerator = operand(id, 0);
    return note(id) && divisor(operand(id, 1), numerator) && exponential(numerator);
  }

  /// A value of one element a row, from its repetition along the row.
  std::optional<ValueId> repeated(ValueId id) {
    while (true) {
      const Shape& to = graph_.type(id).shape;
      const bool is_reshape = as<ir::Reshape>(id) != nullptr;
      const auto* broadcast = as<ir::Broadcast>(id);
      if (!is_reshape && broadcast == nullptr) return id;
      Shape from = graph_.type(operand(id, 0)).shape;
      // A last extent of 1 comes, or is stretched; all others stay in order.
      if (broadcast != nullptr &&
          broadcast->dims != lowering::counting(static_cast<std::int64_t>(from.size()))) {
        return std::nullopt;
      }
      if (from.size() < to.size()) from.push_back(1);
      if (from.size() != to.size()) return std::nullopt;
      if (!std::equal(from.begin(), from.end() - 1, to.begin())) return std::nullopt;
      note(id);
      id = operand(id, 0);
    }
  }

  /// A reduction of the rows of `x`.
  bool reduces(ValueId id, ValueId x, std::initializer_list<Reduction> kinds) {
    const auto* reduce = as<ir::Reduce>(id);
    if (reduce == nullptr || operand(id, 0) != x) return false;
    const bool is_kind = std::find(kinds.begin(), kinds.end(), reduce->kind) != kinds.end();
    return is_kind && reduce->dims == Shape{graph_.type(x).rank() - 1} && note(id);
  }

  /// `id` is x; or, where x is `from`, the number `to`.
  std::optional<ValueId> replaced(ValueId id, double from, double to) {
    if (as<ir::Select>(id) == nullptr || number(operand(id, 1)) != to) return std::nullopt;
    const ValueId condition = operand(id, 0);
    const auto* compare = as<ir::CompareOperation>(condition);
    const bool has_form = compare != nullptr && compare->kind == Comparison::kEq &&
                          operand(condition, 0) == operand(id, 2) &&
                          number(operand(condition, 1)) == from;
    if (!has_form) return std::nullopt;
    note(id);
    note(condition);
    return operand(id, 2);
  }

  bool divisor(ValueId id, ValueId numerator) {
    std::optional<ValueId> sum = repeated(id);
    if (!sum) return false;
    if (const auto other = replaced(*sum, 0, 1)) {
      found_.is_safe = true;
      sum = repeated(*other);
      if (!sum) return false;
    }
    return reduces(*sum, numerator, {Reduction::kSum});
  }

  bool exponential(ValueId id) {
    note(id);
    if (as<ir::Select>(id) != nullptr) {  // what would be subnormal is 0; see legalize.cc
      const ValueId condition = operand(id, 0);
      const ValueId value = operand(id, 2);
      const auto* compare = as<ir::CompareOperation>(condition);
      const bool has_form = compare != nullptr && compare->kind == Comparison::kLt &&
                            number(operand(id, 1)) == 0.0 &&
                            number(operand(condition, 1)) == kLogSmallestNormal &&
                            is_exponential(value) && operand(value, 0) == operand(condition, 0);
      if (!has_form) return false;
      note(condition);
      id = value;
    }
    return is_exponential(id) && note(id) && relative(operand(id, 0));
  }

  bool is_exponential(ValueId id) const {
    const auto* unary = as<ir::UnaryOperation>(id);
    return unary != nullptr && unary->kind == lowering::Unary::kExp;
  }

  /// Scores less the largest of their row.
  bool relative(ValueId id) {
    if (!is_binary(id, Binary::kSubtract)) return false;
    note(id);
    const ValueId scores = operand(id, 0);
    std::optional<ValueId> largest = repeated(operand(id, 1));
    if (!largest) return false;
    if (const auto other = replaced(*largest, -kInfinite, 0)) {
      largest = repeated(*other);
      if (!largest) return false;
    } else if (found_.is_safe) {
      return false;  // a row of -inf has weights of NaN here, and of 0 there
    }
    return reduces(*largest, scores, {Reduction::kMaxNumber, Reduction::kMax}) && chain(scores);
  }

  /// From the softmax back to the first product.
  bool chain(ValueId id) {
    if (const auto* dot = as<ir::PackedDot>(id)) {
      found_.queries = operand(id, 0);
      found_.keys = operand(id, 1);
      return dot->columns == keys_ && graph_.type(id).extent(1) == rows_ && note(id);
    }
    if (!has_rows(id)) return false;
    note(id);
    if (as<ir::Reshape>(id) != nullptr) return chain(operand(id, 0));
    if (as<ir::Select>(id) != nullptr) {
      return selection(ir::AttentionStep::kKeep, id, 1) ||
             selection(ir::AttentionStep::kReplace, id, 2);
    }
    const auto* binary = as<ir::BinaryOperation>(id);
    return binary != nullptr && arithmetic(*binary, id);
  }

  /// A step with operand `side` whose scores are operand `main`; undone if they lead nowhere.
  bool step(const MatchedStep& step, ValueId main) {
    if (found_.steps.size() == kMostSteps) return false;
    found_.steps.push_back(step);
    const std::set<std::int32_t> noted = inner_;
    if (chain(main)) return true;
    found_.steps.pop_back();
    inner_ = noted;
    return false;
  }

  bool selection(ir::AttentionStep kind, ValueId id, std::size_t main) {
    const std::optional<double> fill = number(operand(id, 3 - main));
    if (!fill || (has_fill_ && *fill != found_.fill)) return false;
    const auto before = std::pair(found_.fill, has_fill_);
    found_.fill = *fill;
    has_fill_ = true;
    if (step({kind, operand(id, 0)}, operand(id, main))) return true;
    std::tie(found_.fill, has_fill_) = before;
    return false;
  }

  bool arithmetic(const ir::BinaryOperation& binary, ValueId id) {
    const ValueId a = operand(id, 0);
    const ValueId b = operand(id, 1);
    using Step = ir::AttentionStep;
    switch (binary.kind) {
      case Binary::kMultiply:
        return step({Step::kMultiply, b}, a) || step({Step::kMultiply, a}, b);
      case Binary::kAdd:
        return step({Step::kAdd, b}, a) || step({Step::kAdd, a}, b);
      case Binary::kMaximum:
        return step({Step::kMaximum, b}, a) || step({Step::kMaximum, a}, b);
      case Binary::kSubtract:
        return step({Step::kSubtract, b}, a);
      case Binary::kDivide:
        return has_reciprocal(b) && step({Step::kMultiply, b, true}, a);
      default:
        return false;
    }
  }

  bool is_closed() const {
    return std::all_of(inner_.begin(), inner_.end(), [&](std::int32_t index) {
      const ir::Node& node = graph_.nodes[static_cast<std::size_t>(index)];
      const auto& readers = readers_[static_cast<std::size_t>(node.results[0])];
      return std::all_of(readers.begin(), readers.end(), [&](std::int32_t reader) {
        return inner_.count(reader) > 0 || reader == graph_.value(product_.results[0]).node;
      });
    });
  }

  const ir::Graph& graph_;
  const Readers& readers_;
  const ir::Node& product_;
  std::int64_t rows_ = 0;
  std::int64_t keys_ = 0;
  bool has_fill_ = false;
  MatchedAttention found_;
  std::set<std::int32_t> inner_;  ///< nodes between the two products, the first one too
};

}  // namespace

std::vector<std::vector<std::int32_t>> readers_of(const ir::Graph& graph) {
  Readers readers(graph.values.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    for (const ValueId id : graph.nodes[i].operands) {
      readers[static_cast<std::size_t>(id)].push_back(static_cast<std::int32_t>(i));
    }
  }
  for (const ValueId id : graph.outputs) readers[static_cast<std::size_t>(id)].push_back(-1);
  return readers;
}

std::optional<MatchedAttention> match_attention(const ir::Graph& graph, const Readers& readers,
                                                const ir::Node& product) {
  if (!std::holds_alternative<ir::PackedDot>(product.operation)) return std::nullopt;
  return Matcher(graph, readers, product).run();
}

}  // namespace graphnet::tvm
