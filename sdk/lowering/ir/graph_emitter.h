// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graphnet/abi.h"
#include "lowering/emitter.h"
#include "lowering/ir/operation.h"

namespace graphnet::lowering::ir {

/// Writes primitives down as a Graph. Equal nodes exist once; what has no element is a splat; what
/// moves nothing is left out, and of two moves of a kind one is left; with rewrites, slices that
/// are put together anew are a transposition. Tensor::id is the value's.
///
/// errors   LoweringError as infer(), at the primitive that does not fit
class GraphEmitter final : public Emitter {
 public:
  /// `rewrites`: what decompositions are told.
  explicit GraphEmitter(bool rewrites) : rewrites_(rewrites) {}

  Tensor parameter(ParameterSource source, std::int64_t index, const TensorType& type);
  /// A parameter for every input and weight of a graph, by id of its value; constants for frozen
  /// weights. Those of unknown element types are left out: a node that reads one says so.
  std::vector<Tensor> add_parameters(const gn_graph_body& body);
  /// The graph of these outputs; nodes that none of them needs are left out.
  Graph finish(const std::vector<Tensor>& outputs);

  void begin_node(std::string_view op, std::string_view where) override;
  using Emitter::constant;
  Tensor constant(Type type, const Shape& shape, const SharedBytes& bytes) override;
  Tensor splat(Type type, const Shape& shape, double value) override;
  Tensor iota(Type type, const Shape& shape, std::int64_t dim) override;
  Tensor convert(const Tensor& x, Type type) override;
  Tensor unary(Unary kind, const Tensor& x) override;
  Tensor binary(Binary kind, const Tensor& a, const Tensor& b) override;
  Tensor compare(Comparison kind, const Tensor& a, const Tensor& b) override;
  Tensor select(const Tensor& condition, const Tensor& yes, const Tensor& no) override;
  Tensor broadcast(const Tensor& x, const Shape& shape, const Shape& dims) override;
  Tensor reshape(const Tensor& x, const Shape& shape) override;
  Tensor transpose(const Tensor& x, const Shape& permutation) override;
  Tensor slice(const Tensor& x, const Shape& begin, const Shape& end, const Shape& step) override;
  Tensor pad(const Tensor& x, double value, const Shape& low, const Shape& high,
             const Shape& interior) override;
  Tensor concatenate(const std::vector<Tensor>& parts, std::int64_t dim) override;
  Tensor reverse(const Tensor& x, const Shape& dims) override;
  Tensor reduce(Reduction kind, const Tensor& x, const Shape& dims) override;
  std::pair<Tensor, Tensor> reduce_index(bool largest, const Tensor& x, std::int64_t dim) override;
  Tensor reduce_window(Reduction kind, const Tensor& x, const Window& window) override;
  Tensor dot(const Tensor& a, const Tensor& b, const Contraction& contraction) override;
  Tensor convolution(const Tensor& x, const Tensor& kernel,
                     const ConvolutionAttributes& attributes) override;
  Tensor gather(const Tensor& x, const Tensor& starts, const Shape& dims,
                std::int64_t batch_position) override;
  Tensor scatter(const Tensor& x, const Tensor& starts, const Shape& dims, const Tensor& updates,
                 std::optional<Reduction> combine) override;
  std::pair<Tensor, Tensor> sort(const Tensor& x, std::int64_t dim, bool descending) override;
  Tensor fourier(Fourier kind, const Tensor& x, const Shape& lengths) override;
  bool rewrites() const override { return rewrites_; }
  bool is_bound(const Tensor& x) const override { return stage(x) != Stage::kCall; }

  Stage stage(const Tensor& x) const { return stages_[static_cast<std::size_t>(x.id)]; }
  /// The node that x is a result of.
  const Node& maker(const Tensor& x) const {
    return graph_.nodes[static_cast<std::size_t>(graph_.value(x.id).node)];
  }
  Tensor tensor(ValueId id) const {
    return {id, graph_.value(id).type.type, graph_.value(id).type.shape};
  }
  /// Adds a node, or finds the equal one: the way to operations that Emitter has no function for.
  /// `given`: as in infer().
  std::vector<Tensor> add(Operation operation, const std::vector<Tensor>& operands,
                          const TensorType& given = {});

 private:
  /// The operation that x is the result of, if it is of this kind; nothing for a parameter that
  /// add_parameters() left out.
  template <typename Kind>
  const Kind* made_by(const Tensor& x) const {
    return x.id < 0 ? nullptr : std::get_if<Kind>(&maker(x).operation);
  }
  Tensor operand_of(const Tensor& x) const { return tensor(maker(x).operands[0]); }
  /// The dimension along which the parts are equal slices of one value, one after the other, and
  /// all of it.
  std::optional<std::int64_t> dim_of_cuts(const std::vector<Tensor>& parts) const;
  /// Those parts put together along `dim`: a transposition.
  Tensor rejoin(const Tensor& whole, std::int64_t cut, const std::vector<Tensor>& parts,
                std::int64_t dim);
  Tensor add_one(Operation operation, const std::vector<Tensor>& operands,
                 const TensorType& given = {}) {
    return add(std::move(operation), operands, given)[0];
  }
  std::pair<Tensor, Tensor> add_two(Operation operation, const Tensor& x) {
    const std::vector<Tensor> results = add(std::move(operation), {x});
    return {results[0], results[1]};
  }
  std::vector<Tensor> results_of(const Node& node) const;

  bool rewrites_;
  Graph graph_;
  std::vector<Stage> stages_;                              ///< by value
  std::unordered_map<std::string, std::int32_t> by_text_;  ///< index in graph_.nodes
};

/// The nodes that the outputs need, in order, values numbered anew.
Graph without_dead_nodes(Graph graph);

}  // namespace graphnet::lowering::ir
