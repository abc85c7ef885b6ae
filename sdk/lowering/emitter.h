// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "lowering/primitives.h"
#include "lowering/shared_bytes.h"

namespace graphnet::lowering {

namespace ir {
struct Composite;
}

/// The primitives that lowerings are written in. Each plugin implements them with its compiler's
/// builder. Operands have equal element types and, where element-wise, equal shapes: lowerings
/// convert and broadcast (builder.h).
///
/// errors   LoweringError where the compiler has no such thing
class Emitter {
 public:
  virtual ~Emitter() = default;

  /// The following operations belong to this node; for names and messages of the compiler.
  virtual void begin_node(std::string_view /*op*/, std::string_view /*where*/) {}

  // ---- leaves ----
  /// shapes   bytes: of num_elements(shape) elements, dense row-major
  virtual Tensor constant(Type type, const Shape& shape, const SharedBytes& bytes) = 0;
  /// Copies the elements.
  Tensor constant(Type type, const Shape& shape, const void* data) {
    const auto size = static_cast<std::size_t>(num_elements(shape) * bytes_of(type));
    return constant(type, shape, SharedBytes(data, size));
  }
  /// The value rounded to `type`; for integers too, exact up to 2^53.
  virtual Tensor splat(Type type, const Shape& shape, double value) = 0;
  /// The index along `dim`.
  virtual Tensor iota(Type type, const Shape& shape, std::int64_t dim) = 0;

  // ---- element by element ----
  /// To bool: is not 0. From float to integer: toward zero.
  virtual Tensor convert(const Tensor& x, Type type) = 0;
  virtual Tensor unary(Unary kind, const Tensor& x) = 0;
  virtual Tensor binary(Binary kind, const Tensor& a, const Tensor& b) = 0;
  virtual Tensor compare(Comparison kind, const Tensor& a, const Tensor& b) = 0;
  virtual Tensor select(const Tensor& condition, const Tensor& yes, const Tensor& no) = 0;

  // ---- shape ----
  /// Dimension i of x becomes dims[i] of the result; extents 1 stretch.
  virtual Tensor broadcast(const Tensor& x, const Shape& shape, const Shape& dims) = 0;
  virtual Tensor reshape(const Tensor& x, const Shape& shape) = 0;
  /// Dimension i of the result is permutation[i] of x.
  virtual Tensor transpose(const Tensor& x, const Shape& permutation) = 0;
  virtual Tensor slice(const Tensor& x, const Shape& begin, const Shape& end,
                       const Shape& step) = 0;
  /// Negative padding cuts; `interior` counts the values put between neighbours.
  virtual Tensor pad(const Tensor& x, double value, const Shape& low, const Shape& high,
                     const Shape& interior) = 0;
  virtual Tensor concatenate(const std::vector<Tensor>& parts, std::int64_t dim) = 0;
  virtual Tensor reverse(const Tensor& x, const Shape& dims) = 0;

  // ---- reductions ----
  /// Drops the dimensions.
  virtual Tensor reduce(Reduction kind, const Tensor& x, const Shape& dims) = 0;
  /// Largest or smallest value along `dim`, which is dropped, and its first index (int64); NaN
  /// counts as larger and smaller than everything, as in ATen.
  virtual std::pair<Tensor, Tensor> reduce_index(bool largest, const Tensor& x,
                                                 std::int64_t dim) = 0;
  virtual Tensor reduce_window(Reduction kind, const Tensor& x, const Window& window) = 0;

  // ---- products ----
  /// Result: batch, remaining dimensions of a, remaining dimensions of b; float32 for half types.
  virtual Tensor dot(const Tensor& a, const Tensor& b, const Contraction& contraction) = 0;
  /// x: [batch, channels, spatial...], kernel: [out, in / groups, spatial...].
  virtual Tensor convolution(const Tensor& x, const Tensor& kernel,
                             const ConvolutionAttributes& attributes) = 0;

  // ---- positions known at run time ----
  /// `starts` [batch..., k] holds coordinates along `dims` [k]; the result has the remaining
  /// dimensions of x with the batch dimensions put before remaining dimension `batch_position`.
  /// Coordinates must be in range.
  virtual Tensor gather(const Tensor& x, const Tensor& starts, const Shape& dims,
                        std::int64_t batch_position) = 0;
  /// x with updates [batch..., remaining dimensions of x] combined into it; without `combine` they
  /// replace, in no order.
  virtual Tensor scatter(const Tensor& x, const Tensor& starts, const Shape& dims,
                         const Tensor& updates, std::optional<Reduction> combine) = 0;
  /// Sorted values and their indices (int64), stable; NaN counts as the largest.
  virtual std::pair<Tensor, Tensor> sort(const Tensor& x, std::int64_t dim, bool descending) = 0;

  /// Over the innermost lengths.size() dimensions; inverse transforms divide by the length.
  virtual Tensor fourier(Fourier kind, const Tensor& x, const Shape& lengths) = 0;

  // ---- whole operators ----
  /// The results of an operator of the sample, if the compiler has it for these operands; nothing:
  /// it is given the primitives of its body, one by one.
  virtual std::optional<std::vector<Tensor>> composite(const ir::Composite& /*composite*/,
                                                       const std::vector<Tensor>& /*operands*/) {
    return std::nullopt;
  }

  /// True if rewrites that change rounding or layout are wanted; they are labelled in records.
  virtual bool rewrites() const { return false; }
  /// True if the value depends on weights and constants alone, so that bind computes it.
  virtual bool is_bound(const Tensor&) const { return false; }
};

}  // namespace graphnet::lowering
