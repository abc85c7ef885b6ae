// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "lowering/emitter.h"

namespace graphnet::lowering {

/// Shape that operands broadcast to, as NumPy does.
///
/// errors   LoweringError if they do not
Shape broadcast_shape(const Shape& a, const Shape& b);

/// Shape of a convolution's result, [batch, out, spatial...].
Shape convolved_shape(const Tensor& x, const Tensor& kernel, const ConvolutionAttributes& a);

/// Shape without, or with 1 at, the given dimensions.
Shape without_dims(const Shape& shape, const Shape& dims);
Shape with_ones(const Shape& shape, const Shape& dims);
/// What a reduction of nothing gives: minus infinity or the least integer for a maximum.
double identity_of(Reduction kind, Type type);
/// Numbers by logical dimension in the order of memory, which holds dimension layout[i] at position
/// i; and back. Empty: in order.
Shape into_layout(const Shape& logical, const Shape& layout);
Shape out_of_layout(const Shape& memory, const Shape& layout);
/// 0, 1, ..., count - 1.
Shape counting(std::int64_t count);
/// The numbers of both, one list behind the other.
Shape joined(Shape first, const Shape& second);
/// The numbers of `shape` at `dims`, in the order of `dims`.
Shape extents_of(const Shape& shape, const Shape& dims);
/// Dimensions in ascending order, negative ones counted from the end; all if `dims` is empty.
Shape normal_dims(const Shape& dims, std::int64_t rank);

/// Convenience functions over an Emitter: broadcasting, numbers as operands, and compositions that
/// many lowerings share. The operands of one operation must have one element type.
class Builder {
 public:
  explicit Builder(Emitter& emitter) : emit(emitter) {}

  Emitter& emit;

  /// To a shape that it broadcasts to, dimensions aligned at the right.
  Tensor expand(const Tensor& x, const Shape& shape);
  Tensor full(Type type, const Shape& shape, double value) {
    return emit.splat(type, shape, value);
  }
  /// x itself if it has that type.
  Tensor convert(const Tensor& x, Type type);
  /// x itself if it has that shape.
  Tensor reshape(const Tensor& x, const Shape& shape);

  Tensor binary(Binary kind, const Tensor& a, const Tensor& b);
  Tensor binary(Binary kind, const Tensor& a, double b);
  Tensor add(const Tensor& a, const Tensor& b) { return binary(Binary::kAdd, a, b); }
  Tensor add(const Tensor& a, double b) { return binary(Binary::kAdd, a, b); }
  Tensor subtract(const Tensor& a, const Tensor& b) { return binary(Binary::kSubtract, a, b); }
  Tensor multiply(const Tensor& a, const Tensor& b) { return binary(Binary::kMultiply, a, b); }
  Tensor multiply(const Tensor& a, double b) { return binary(Binary::kMultiply, a, b); }
  Tensor divide(const Tensor& a, const Tensor& b) { return binary(Binary::kDivide, a, b); }
  Tensor divide(const Tensor& a, double b) { return binary(Binary::kDivide, a, b); }
  Tensor unary(Unary kind, const Tensor& x) { return emit.unary(kind, x); }
  Tensor compare(Comparison kind, const Tensor& a, const Tensor& b);
  Tensor compare(Comparison kind, const Tensor& a, double b);
  Tensor select(const Tensor& condition, const Tensor& yes, const Tensor& no);
  /// NaN stays NaN.
  Tensor clamp(const Tensor& x, double low, double high);
  Tensor sigmoid(const Tensor& x) { return emit.unary(Unary::kLogistic, x); }
  /// Toward zero.
  Tensor truncate(const Tensor& x);

  /// Reduced dimensions become 1 if `keep`, else they are dropped.
  Tensor reduce(Reduction kind, const Tensor& x, const Shape& dims, bool keep);
  Tensor mean(const Tensor& x, const Shape& dims, bool keep);
  /// exp(x - max) / sum along `dim`, in the type of x.
  Tensor softmax(const Tensor& x, std::int64_t dim);

  /// Matrix product of the last two dimensions, the others broadcast and counted as batch.
  Tensor matmul(const Tensor& a, const Tensor& b);
  /// x [..., k] times the transpose of weight [n, k].
  Tensor linear(const Tensor& x, const Tensor& weight);

  /// One dimension from begin to end (exclusive).
  Tensor slice(const Tensor& x, std::int64_t dim, std::int64_t begin, std::int64_t end,
               std::int64_t step = 1);
  Tensor pad(const Tensor& x, double value, const Shape& low, const Shape& high);
  /// What a convolution reads: x with its padding, and zeros for its input dilation.
  Tensor padded(const Tensor& x, const ConvolutionAttributes& attributes);
  /// Elements of `dim` at `indices` (any rank). The dimensions of `indices` replace `dim`; negative
  /// indices count from the end if `wrap`.
  Tensor take(const Tensor& x, std::int64_t dim, const Tensor& indices, bool wrap = false);
  /// take() at positions known now.
  Tensor take(const Tensor& x, std::int64_t dim, const std::vector<std::int64_t>& indices);
  /// x moved by a constant matrix [out, in] along `dim`.
  Tensor apply_matrix(const Tensor& x, std::int64_t dim, const std::vector<double>& matrix,
                      std::int64_t out);
  /// Negative indices along an extent counted from its end.
  Tensor wrap_indices(const Tensor& indices, std::int64_t extent);
  Tensor swap(const Tensor& x, std::int64_t dim, std::int64_t other);
};

}  // namespace graphnet::lowering
