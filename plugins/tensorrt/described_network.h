// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lowering/builder.h"
#include "lowering/ir/graph_emitter.h"
#include "tensorrt/network.h"

namespace graphnet::tensorrt {

/// errors   LoweringError "TensorRT refuses <what>", unless it holds
void require(bool holds, const std::string& what);

/// A network without TensorRT: each layer is read as what TensorRT's documentation says of it, and
/// written as a graph. It refuses what TensorRT refuses. So coverage needs no library, and
/// ir::interpret computes what a network means, on a machine without a device.
///
/// source   descriptions of layers in the operator reference of
/// docs.nvidia.com/deeplearning/tensorrt;
///          refusals as the builder of TensorRT-RTX 1.6 answered
class DescribedNetwork final : public Network {
 public:
  /// Whether constants of many elements are written into the graph, or stand there as parameters
  /// that nobody can fill: who wants to know only whether there is a network has no use for their
  /// bytes.
  enum class Constants : std::uint8_t { kWritten, kLeftOut };

  explicit DescribedNetwork(Constants constants);

  /// The graph of the outputs in the order in which they were marked, with the parameters that the
  /// names of inputs and of refittable weights say (write_network.h).
  lowering::ir::Graph finish();

  void begin_node(const std::string& origin) override { out_.begin_node(origin, ""); }
  Tensor input(const std::string& name, Type type, const Shape& shape) override;
  void mark_output(const Tensor& x, const std::string& name) override;
  Tensor constant(Type type, const Shape& shape, std::string_view bytes,
                  const std::string& name) override;
  Tensor identity(const Tensor& x) override { return x; }
  Tensor cast(const Tensor& x, Type type) override;
  Tensor unary(nv::Unary kind, const Tensor& x) override;
  Tensor activation(nv::Activation kind, const Tensor& x, double alpha, double beta) override;
  Tensor elementwise(nv::Elementwise kind, const Tensor& a, const Tensor& b) override;
  Tensor select(const Tensor& condition, const Tensor& yes, const Tensor& no) override;
  Tensor transpose(const Tensor& x, const Shape& permutation) override;
  Tensor reshape(const Tensor& x, const Shape& shape) override;
  Tensor slice(const Tensor& x, const Shape& start, const Shape& size,
               const Shape& stride) override;
  Tensor slice_filled(const Tensor& x, const Shape& start, const Shape& size,
                      const Tensor& fill) override;
  Tensor concatenate(const std::vector<Tensor>& parts, std::int64_t axis) override;
  Tensor reduce(nv::Reduce kind, const Tensor& x, std::uint32_t axes) override;
  std::pair<Tensor, Tensor> top_k(nv::TopK kind, const Tensor& x, std::int64_t k,
                                  std::int64_t axis) override;
  Tensor cumulative_sum(const Tensor& x, std::int64_t axis) override;
  Tensor pooling(const Tensor& x, const PoolingLayer& layer) override;
  Tensor matrix_multiply(const Tensor& a, bool a_is_turned, const Tensor& b,
                         bool b_is_turned) override;
  Tensor convolution(const Tensor& x, const Tensor& kernel, const ConvolutionLayer& layer) override;
  Tensor gather(const Tensor& x, const Tensor& indices, std::int64_t axis) override;
  Tensor gather_nd(const Tensor& x, const Tensor& indices) override;
  Tensor scatter_nd(const Tensor& x, const Tensor& indices, const Tensor& updates) override;
  Tensor softmax(const Tensor& x, std::int64_t axis) override;
  Tensor normalization(const Tensor& x, const Tensor& scale, const Tensor& bias,
                       const NormalizationLayer& layer) override;
  Tensor resize(const Tensor& x, const ResizeLayer& layer) override;
  Tensor attention(const std::vector<Tensor>& operands, nv::CausalMask causal) override;

 private:
  Tensor wide(const Tensor& x) { return b_.convert(x, lowering::compute_type(x.type)); }
  Tensor function_of(nv::Unary kind, const Tensor& x);
  Tensor turned_kernel(const Tensor& kernel, std::int64_t groups);

  lowering::ir::GraphEmitter out_;
  lowering::Builder b_;
  Constants constants_;
  std::map<std::string, lowering::ir::TensorType> weights_;  ///< refittable, by name
  std::int64_t num_left_out_ = 0;
  std::map<std::int32_t, double> scalars_;  ///< constants of one element, by id
  std::vector<Tensor> outputs_;
};

}  // namespace graphnet::tensorrt
