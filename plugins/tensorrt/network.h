// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lowering/primitives.h"
#include "lowering/tensor.h"
#include "tensorrt/nv_types.h"

namespace graphnet::tensorrt {

using lowering::Shape;
using lowering::Tensor;
using lowering::Type;

/// shapes   all lists: [spatial dimensions]
struct ConvolutionLayer {
  Shape kernel;  ///< extents
  Shape stride;
  Shape pre;  ///< padding; of a transposed one what is cut from its result
  Shape post;
  Shape dilation;
  std::int64_t groups = 1;
  std::int64_t out = 0;  ///< channels of the result
  bool is_transposed = false;
};

/// Over the last dimensions, as many as `window` has.
struct PoolingLayer {
  nv::Pooling kind = nv::Pooling::kMax;
  Shape window;
  Shape stride;
  Shape pre;
  Shape post;  ///< an average counts padding
};

struct NormalizationLayer {
  std::uint32_t axes = 0;  ///< bit i: dimension i
  double epsilon = 0;
  std::int64_t groups = 1;
};

struct ResizeLayer {
  Shape shape;  ///< of the result
  nv::Interpolation mode = nv::Interpolation::kNearest;
  nv::Coordinates coordinates = nv::Coordinates::kHalfPixel;
};

/// A network under construction: the layers of TensorRT that this plugin uses, each with what
/// TensorRT's documentation says that it computes. All types are strong: operands of one layer have
/// one type and rank, extents 1 stretch, and nothing is converted unasked. Tensor::id is the
/// network's own.
///
/// errors   LoweringError: TensorRT refuses the layer; the message has its own words
class Network {
 public:
  virtual ~Network() = default;

  /// Layers from here on belong to this node; for names and messages.
  virtual void begin_node(const std::string& origin) = 0;

  virtual Tensor input(const std::string& name, Type type, const Shape& shape) = 0;
  /// The tensor must be no input and no output yet.
  virtual void mark_output(const Tensor& x, const std::string& name) = 0;
  /// `bytes` stay valid until the engine is built. A name makes weights refittable; they are given
  /// in their own shape first, then in any with as many elements.
  virtual Tensor constant(Type type, const Shape& shape, std::string_view bytes,
                          const std::string& name) = 0;

  virtual Tensor identity(const Tensor& x) = 0;
  virtual Tensor cast(const Tensor& x, Type type) = 0;
  virtual Tensor unary(nv::Unary kind, const Tensor& x) = 0;
  virtual Tensor activation(nv::Activation kind, const Tensor& x, double alpha, double beta) = 0;
  virtual Tensor elementwise(nv::Elementwise kind, const Tensor& a, const Tensor& b) = 0;
  virtual Tensor select(const Tensor& condition, const Tensor& yes, const Tensor& no) = 0;

  virtual Tensor transpose(const Tensor& x, const Shape& permutation) = 0;
  virtual Tensor reshape(const Tensor& x, const Shape& shape) = 0;
  /// Element i of the result is start + i * stride of x. A stride of 0 repeats.
  virtual Tensor slice(const Tensor& x, const Shape& start, const Shape& size,
                       const Shape& stride) = 0;
  /// As slice; what lies outside of x is the one element of `fill` (rank 0).
  virtual Tensor slice_filled(const Tensor& x, const Shape& start, const Shape& size,
                              const Tensor& fill) = 0;
  virtual Tensor concatenate(const std::vector<Tensor>& parts, std::int64_t axis) = 0;

  /// Drops the dimensions whose bits are set.
  virtual Tensor reduce(nv::Reduce kind, const Tensor& x, std::uint32_t axes) = 0;
  /// The k largest or smallest, in order, and their positions (int64).
  virtual std::pair<Tensor, Tensor> top_k(nv::TopK kind, const Tensor& x, std::int64_t k,
                                          std::int64_t axis) = 0;
  virtual Tensor cumulative_sum(const Tensor& x, std::int64_t axis) = 0;
  virtual Tensor pooling(const Tensor& x, const PoolingLayer& layer) = 0;

  virtual Tensor matrix_multiply(const Tensor& a, bool a_is_turned, const Tensor& b,
                                 bool b_is_turned) = 0;
  /// x [n, channels, spatial...]; kernel [out, in / groups, spatial...], of a transposed one
  /// [in, out / groups, spatial...]. Two or three spatial dimensions.
  virtual Tensor convolution(const Tensor& x, const Tensor& kernel,
                             const ConvolutionLayer& layer) = 0;

  /// `axis` of x replaced by the dimensions of `indices`.
  virtual Tensor gather(const Tensor& x, const Tensor& indices, std::int64_t axis) = 0;
  /// indices [batch..., k]: coordinates along the first k dimensions; the rest of x follows the
  /// batch.
  virtual Tensor gather_nd(const Tensor& x, const Tensor& indices) = 0;
  /// x with updates [batch..., rest] in place of what gather_nd would read.
  virtual Tensor scatter_nd(const Tensor& x, const Tensor& indices, const Tensor& updates) = 0;

  virtual Tensor softmax(const Tensor& x, std::int64_t axis) = 0;
  /// (x - mean) / sqrt(variance + epsilon) * scale + bias over `axes`.
  virtual Tensor normalization(const Tensor& x, const Tensor& scale, const Tensor& bias,
                               const NormalizationLayer& layer) = 0;
  virtual Tensor resize(const Tensor& x, const ResizeLayer& layer) = 0;
  /// operands: query, key, value [batch, heads, tokens, width]. softmax(query * key') * value.
  virtual Tensor attention(const std::vector<Tensor>& operands, nv::CausalMask causal) = 0;
};

}  // namespace graphnet::tensorrt
