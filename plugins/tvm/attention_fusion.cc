// SPDX-License-Identifier: MIT
#include "tvm_plugin/attention_fusion.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "lowering/builder.h"
#include "lowering/ir/graph_emitter.h"
#include "tvm_plugin/attention_match.h"
#include "tvm_plugin/fusion.h"

namespace graphnet::tvm {

using ir::ValueId;
using lowering::Tensor;

namespace {

/// Extents of the batch, those of 1 left out, the last two left out: of scores.
Shape batch_of(const Shape& scores) {
  Shape batch(scores.begin(), scores.end() - 2);
  batch.erase(std::remove(batch.begin(), batch.end(), 1), batch.end());
  return batch;
}

/// A shape whose extents are those of `from` or 1, with each extent of `from` as the extents of
/// `to` whose product it is. nullopt: there are none.
std::optional<Shape> split_as(const Shape& shape, const Shape& from, const Shape& to) {
  Shape result;
  std::size_t next = 0;
  for (std::size_t i = 0; i < from.size(); ++i) {
    if (from[i] == 1) continue;
    std::int64_t product = 1;
    while (product < from[i] && next < to.size()) {
      product *= to[next];
      result.push_back(shape[i] == 1 ? 1 : to[next]);
      ++next;
    }
    if (product != from[i]) return std::nullopt;
  }
  if (next != to.size()) return std::nullopt;
  return result;
}

constexpr std::int64_t kFewestOfHalves = 128;

class AttentionFuser {
 public:
  AttentionFuser(const ir::Graph& graph, const VectorUnit& unit)
      : graph_(graph),
        unit_(unit),
        readers_(readers_of(graph)),
        emit_(true),
        values_(graph.values.size()) {}

  ir::Graph run() {
    for (const ir::Node& node : graph_.nodes) write(node);
    std::vector<Tensor> outputs;
    for (const ValueId id : graph_.outputs) outputs.push_back(value(id));
    return emit_.finish(outputs);
  }

 private:
  Tensor& value(ValueId id) { return values_[static_cast<std::size_t>(id)]; }

  void write(const ir::Node& node) {
    if (node.origin >= 0) {
      const ir::Origin& origin = graph_.origins[static_cast<std::size_t>(node.origin)];
      emit_.begin_node(origin.op, origin.where);
    }
    const ir::TensorType& type = graph_.type(node.results[0]);
    if (const auto* parameter = std::get_if<ir::Parameter>(&node.operation)) {
      value(node.results[0]) = emit_.parameter(parameter->source, parameter->index, type);
      return;
    }
    if (const auto matched = match_attention(graph_, readers_, node)) {
      if (const auto result = fused(*matched, node)) {
        value(node.results[0]) = *result;
        return;
      }
    }
    std::vector<Tensor> operands;
    for (const ValueId id : node.operands) operands.push_back(value(id));
    const std::vector<Tensor> results = emit_.add(node.operation, operands, type);
    for (std::size_t i = 0; i < results.size(); ++i) value(node.results[i]) = results[i];
  }

  std::optional<Tensor> fused(const MatchedAttention& matched, const ir::Node& product) {
    ir::Attention attention;
    attention.batch = batch_of(graph_.type(matched.queries).shape);
    attention.columns = std::get<ir::PackedDot>(product.operation).columns;
    attention.fill = matched.fill;
    attention.is_safe = matched.is_safe;
    if (!pays(matched)) return std::nullopt;
    for (const MatchedStep& step : matched.steps) {
      Shape batch = batch_of(graph_.type(step.operand).shape);
      if (batch.size() > attention.batch.size()) attention.batch = std::move(batch);
    }
    std::vector<Tensor> operands = {value(matched.queries), value(matched.keys),
                                    value(matched.values)};
    for (const MatchedStep& step : matched.steps) {
      const std::optional<Tensor> operand = operand_of(step, attention.batch);
      if (!operand) return std::nullopt;
      operands.push_back(*operand);
      attention.steps.push_back(static_cast<std::int64_t>(step.kind));
    }
    return emit_.add(std::move(attention), operands)[0];
  }

  bool pays(const MatchedAttention& matched) const {
    const auto has_vectors = [&](std::int64_t lanes) {
      return graph_.type(matched.keys).shape.back() % lanes == 0 &&
             graph_.type(matched.values).shape.back() % lanes == 0;
    };
    const Shape& queries = graph_.type(matched.queries).shape;
    const std::int64_t keys = graph_.type(matched.values).extent(2);
    if (has_vectors(unit_.lanes)) return queries[1] >= 4 && keys >= 4;
    // Heads of 8: half a register of AVX-512. Of few keys three kernels are faster.
    return unit_.lanes == kAvx512.lanes && has_vectors(unit_.lanes / 2) &&
           queries[1] >= kFewestOfHalves && keys >= kFewestOfHalves;
  }

  /// The operand of a step with the batch's extents or 1.
  std::optional<Tensor> operand_of(const MatchedStep& step, const Shape& batch) {
    const ir::TensorType& full = graph_.type(step.operand);
    Tensor small = shrunk(step.operand);
    if (step.is_divisor) {
      const double divisor = std::get<ir::Splat>(emit_.maker(small).operation).value;
      small = emit_.splat(small.type, small.shape, 1 / divisor);
    }
    std::optional<Shape> shape =
        split_as(small.shape, {full.shape.begin(), full.shape.end() - 2}, batch);
    if (!shape) return std::nullopt;
    shape->insert(shape->end(), small.shape.end() - 2, small.shape.end());
    return emit_.reshape(small, *shape);
  }

  /// The value with an extent of 1 where all elements along a dimension are alike.
  Tensor shrunk(ValueId id) {
    const ir::Node& node = graph_.maker(id);
    const ir::TensorType& type = graph_.type(id);
    Shape shape(type.shape.size(), 1);
    if (const auto* splat = std::get_if<ir::Splat>(&node.operation)) {
      return emit_.splat(type.type, shape, splat->value);
    }
    if (const auto* iota = std::get_if<ir::Iota>(&node.operation)) {
      shape[static_cast<std::size_t>(iota->dim)] = type.extent(iota->dim);
      return emit_.iota(type.type, shape, iota->dim);
    }
    if (const auto* broadcast = std::get_if<ir::Broadcast>(&node.operation)) {
      if (!std::is_sorted(broadcast->dims.begin(), broadcast->dims.end())) return value(id);
      const ir::TensorType& from = graph_.type(node.operands[0]);
      for (std::size_t i = 0; i < broadcast->dims.size(); ++i) {
        shape[static_cast<std::size_t>(broadcast->dims[i])] = from.shape[i];
      }
      return emit_.reshape(value(node.operands[0]), shape);
    }
    return is_elementwise(node.operation) ? shrunk_operation(id) : value(id);
  }
  Tensor shrunk_operation(ValueId id) {
    const ir::Node& node = graph_.maker(id);
    const ir::TensorType& type = graph_.type(id);
    Shape shape(type.shape.size(), 1);
    std::vector<Tensor> operands;
    for (const ValueId operand : node.operands) {
      operands.push_back(shrunk(operand));
      for (std::size_t i = 0; i < shape.size(); ++i) {
        shape[i] = std::max(shape[i], operands.back().shape[i]);
      }
    }
    if (shape == type.shape) return value(id);
    for (Tensor& operand : operands) {
      operand = emit_.broadcast(operand, shape, lowering::counting(type.rank()));
    }
    return emit_.add(node.operation, operands, {type.type, shape})[0];
  }

  const ir::Graph& graph_;
  VectorUnit unit_;
  std::vector<std::vector<std::int32_t>> readers_;
  ir::GraphEmitter emit_;
  std::vector<Tensor> values_;  ///< by value of the old graph
};

}  // namespace

ir::Graph fuse_attention(const ir::Graph& graph, const VectorUnit& unit) {
  return AttentionFuser(graph, unit).run();
}

}  // namespace graphnet::tvm
