// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "lowering/ir/built.h"
#include "lowering/ir/graph_emitter.h"

namespace graphnet::lowering::ir {

/// Writes a graph anew with few transpositions.
///
/// A transposition is not a node but a layout: `Tensor::layout` lists the logical dimensions in the
/// order in which memory holds them (empty: as they are). Element-wise operations, windows,
/// reductions and products work on whatever layout their operands have; transposes are written
/// where two layouts meet or an operation needs dimensions in order. A network of convolutions thus
/// stays channels-last from its first convolution to its last, if the target asks for that there.
///
/// A target derives from this class. It overrides the operations for which it wants a layout, or
/// which it writes as others; everything else follows.
///
/// shapes   Tensor::shape is logical; in the graph that comes out each value's shape is that of its
///          memory
/// order    with rewrites off, transpositions stay nodes, where they were
class LayoutEmitter : public Emitter {
 public:
  explicit LayoutEmitter(bool rewrites) : out_(rewrites) {}

  /// errors   LoweringError: the target has no such elements
  virtual Tensor parameter(ParameterSource source, std::int64_t index, const TensorType& type) {
    return out_.parameter(source, index, type);
  }
  /// The graph of these outputs, dimensions in order.
  Graph finish(const std::vector<Tensor>& outputs);

  void begin_node(std::string_view op, std::string_view where) override {
    out_.begin_node(op, where);
  }
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
  bool rewrites() const override { return out_.rewrites(); }
  bool is_bound(const Tensor& x) const override { return out_.is_bound(x); }

 protected:
  /// x in this layout; a transpose unless it has it, or can be made in it at no cost.
  Tensor relayout(const Tensor& x, const Shape& layout);
  Tensor in_order(const Tensor& x) { return relayout(x, {}); }
  /// A convolution whose operands and result have these layouts; empty: in order.
  Tensor convolution_in(const Tensor& x, const Tensor& kernel,
                        const ConvolutionAttributes& attributes, const Shape& layout,
                        const Shape& kernel_layout);
  /// An operation on memory, for which Emitter has no function; its result is in order.
  Tensor node(Operation operation, const std::vector<Tensor>& operands) {
    return nodes(std::move(operation), operands)[0];
  }
  /// The same, all its results.
  std::vector<Tensor> nodes(Operation operation, const std::vector<Tensor>& operands);
  Stage stage(const Tensor& x) const { return out_.stage(x); }

 private:
  Shape shared_layout(const std::vector<Tensor>& operands) const;
  std::vector<Tensor> aligned(const std::vector<Tensor>& operands);

  GraphEmitter out_;
};

/// The graph as a target writes it, folded (passes/fold.h) if the target rewrites; or each operator
/// that the target cannot express.
Built rewrite(const Graph& graph, LayoutEmitter& target);

/// Logical dimension i of a tensor is dimension positions[i] of its memory.
Shape memory_positions(const Tensor& x);

/// Layout of [batch, channels, spatial...]: batch, spatial..., channels.
Shape channels_last(std::int64_t rank);
/// The permutation that undoes it.
Shape channels_second(std::int64_t rank);
/// Layout of a kernel [out, in, spatial...]: spatial..., in, out.
Shape taps_first(std::int64_t rank);

}  // namespace graphnet::lowering::ir
