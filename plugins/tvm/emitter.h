// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graphnet/abi.h"
#include "lowering/emitter.h"
#include "tvm_plugin/program.h"

namespace graphnet::tvm {

using lowering::Tensor;

/// Writes a graph down as a Program. Equal nodes exist once.
///
/// With `rewrites`, convolutions are channels-last and weights of products become panels (both laid
/// out in bind); transposes that this brings about move towards the outputs, through whatever does
/// not care, until two of them meet and cancel. Without, the graph stays as it is.
///
/// errors   LoweringError for what TVM has no type or operation for
class Emitter final : public lowering::Emitter {
 public:
  explicit Emitter(bool rewrites) : rewrites_(rewrites) {}

  /// Input or weight `index` of the graph's signature, or constant `index` of the program.
  Tensor argument(ArgumentSource source, std::uint32_t index, Type type, const Shape& shape);
  Program finish(const std::vector<Tensor>& outputs);

  void begin_node(std::string_view op, std::string_view where) override;
  Tensor constant(Type type, const Shape& shape, const void* data) override;
  Tensor splat(Type type, const Shape& shape, double value) override;
  Tensor iota(Type type, const Shape& shape, std::int64_t dim) override;
  Tensor convert(const Tensor& x, Type type) override;
  Tensor unary(lowering::Unary kind, const Tensor& x) override;
  Tensor binary(lowering::Binary kind, const Tensor& a, const Tensor& b) override;
  Tensor compare(lowering::Comparison kind, const Tensor& a, const Tensor& b) override;
  Tensor select(const Tensor& condition, const Tensor& yes, const Tensor& no) override;
  Tensor broadcast(const Tensor& x, const Shape& shape, const Shape& dims) override;
  Tensor reshape(const Tensor& x, const Shape& shape) override;
  Tensor transpose(const Tensor& x, const Shape& permutation) override;
  Tensor slice(const Tensor& x, const Shape& begin, const Shape& end, const Shape& step) override;
  Tensor pad(const Tensor& x, double value, const Shape& low, const Shape& high,
             const Shape& interior) override;
  Tensor concatenate(const std::vector<Tensor>& parts, std::int64_t dim) override;
  Tensor reverse(const Tensor& x, const Shape& dims) override;
  Tensor reduce(lowering::Reduction kind, const Tensor& x, const Shape& dims) override;
  std::pair<Tensor, Tensor> reduce_index(bool largest, const Tensor& x, std::int64_t dim) override;
  Tensor reduce_window(lowering::Reduction kind, const Tensor& x,
                       const lowering::Window& window) override;
  Tensor dot(const Tensor& a, const Tensor& b, const lowering::Contraction& contraction) override;
  Tensor convolution(const Tensor& x, const Tensor& kernel,
                     const lowering::ConvolutionAttributes& attributes) override;
  Tensor gather(const Tensor& x, const Tensor& starts, const Shape& dims,
                std::int64_t batch_position) override;
  Tensor scatter(const Tensor& x, const Tensor& starts, const Shape& dims, const Tensor& updates,
                 std::optional<lowering::Reduction> combine) override;
  std::pair<Tensor, Tensor> sort(const Tensor& x, std::int64_t dim, bool descending) override;
  Tensor fourier(lowering::Fourier kind, const Tensor& x, const Shape& lengths) override;
  bool rewrites() const override { return rewrites_; }
  bool is_bound(const Tensor& x) const override;

 private:
  const Node& node(const Tensor& x) const;
  /// Adds a node, or finds the equal one.
  Tensor add(Node node);
  std::pair<Tensor, Tensor> add_pair(Node node, Type first);

  /// Operands of an element-wise node moved under one transposition, which is returned (empty:
  /// none); emitter_layout.cc.
  Shape lift_transposes(std::vector<Tensor>& operands);
  /// The tensor below a transposition that only this brings about; nothing for others.
  const Shape* moving_permutation(const Tensor& x) const;
  Tensor below(const Tensor& x) const;
  /// x permuted without a node where that is free.
  Tensor permuted(const Tensor& x, const Shape& permutation);
  Tensor elementwise(NodeKind kind, std::uint8_t which, Type type, std::vector<Tensor> operands);

  Tensor panels(const Tensor& right, std::int64_t rows);
  Tensor direct_convolution(const Tensor& x, const Tensor& kernel,
                            const lowering::ConvolutionAttributes& attributes);
  Tensor pointwise_convolution(const Tensor& x, const Tensor& kernel);
  Tensor kernel_panels(const Tensor& kernel, std::int64_t groups);

  bool rewrites_;
  Program program_;
  std::unordered_map<std::string, std::int32_t> by_text_;
};

/// Which permutation undoes this one.
Shape inverse(const Shape& permutation);
/// list[permutation[i]] for each i.
Shape permuted(const Shape& list, const Shape& permutation);
/// Floats of one vector of the processors that rules are written for.
inline constexpr std::int64_t kLanes = 16;

}  // namespace graphnet::tvm
