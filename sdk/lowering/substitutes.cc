// SPDX-License-Identifier: MIT
#include "lowering/substitutes.h"

namespace graphnet::lowering {

Tensor expm1_by_tanh(Builder& b, const Tensor& x) {
  // Near 0, exp(x) - 1 has no digits left; 2 t / (1 - t) with t = tanh(x / 2) has all of them.
  const Tensor t = b.unary(Unary::kTanh, b.multiply(x, 0.5));
  const Tensor near = b.divide(b.multiply(t, 2), b.subtract(b.full(x.type, x.shape, 1), t));
  const Tensor far = b.add(b.unary(Unary::kExp, x), -1);
  return b.select(b.compare(Comparison::kLt, b.unary(Unary::kAbs, x), 0.5), near, far);
}

std::pair<Tensor, Tensor> first_extreme(Builder& b, bool largest, const Tensor& x,
                                        std::int64_t dim) {
  if (num_elements(x.shape) == 0) throw LoweringError("the largest element of none");
  if (x.type == Type::kBool) {
    const auto [best, place] = first_extreme(b, largest, b.convert(x, Type::kI32), dim);
    return {b.convert(best, Type::kBool), place};
  }
  const Tensor best = b.emit.reduce(largest ? Reduction::kMax : Reduction::kMin, x, {dim});
  const Tensor spread = b.emit.broadcast(best, x.shape, without_dims(counting(x.rank()), {dim}));
  Tensor is_best = b.compare(Comparison::kEq, x, spread);
  if (is_float(x.type)) {
    is_best = b.binary(Binary::kOr, is_best, b.compare(Comparison::kNe, x, x));
  }
  const Tensor place = b.emit.iota(Type::kI32, x.shape, dim);
  const Tensor beyond = b.full(Type::kI32, x.shape, static_cast<double>(x.extent(dim)));
  const Tensor first = b.emit.reduce(Reduction::kMin, b.select(is_best, place, beyond), {dim});
  return {best, b.convert(first, Type::kI64)};
}

ProductExtents extents_of_product(const Tensor& left, const Tensor& right, const Contraction& c) {
  ProductExtents extents;
  extents.left_rest = without_dims(counting(left.rank()), joined(c.left_batch, c.left_contracting));
  extents.right_rest =
      without_dims(counting(right.rank()), joined(c.right_batch, c.right_contracting));
  const Shape batch = extents_of(left.shape, c.left_batch);
  const Shape rows = extents_of(left.shape, extents.left_rest);
  const Shape columns = extents_of(right.shape, extents.right_rest);
  extents.batch = num_elements(batch);
  extents.rows = num_elements(rows);
  extents.columns = num_elements(columns);
  extents.depth = num_elements(extents_of(left.shape, c.left_contracting));
  extents.result = joined(joined(batch, rows), columns);
  return extents;
}

std::pair<Tensor, Tensor> as_matrices(Builder& b, const Tensor& left, const Tensor& right,
                                      const Contraction& c) {
  const ProductExtents e = extents_of_product(left, right, c);
  const Shape left_order = joined(joined(c.left_batch, e.left_rest), c.left_contracting);
  const Shape right_order = joined(joined(c.right_batch, e.right_rest), c.right_contracting);
  return {b.reshape(b.emit.transpose(left, left_order), {e.batch, e.rows, e.depth}),
          b.reshape(b.emit.transpose(right, right_order), {e.batch, e.columns, e.depth})};
}

Tensor dot_by_products(Builder& b, const Tensor& left, const Tensor& right, const Contraction& c) {
  const ProductExtents e = extents_of_product(left, right, c);
  const auto [x, y] = as_matrices(b, left, right, c);
  const Tensor products = b.multiply(b.reshape(x, {e.batch, e.rows, 1, e.depth}),
                                     b.reshape(y, {e.batch, 1, e.columns, e.depth}));
  return b.reshape(b.emit.reduce(Reduction::kSum, products, {3}), e.result);
}

Binary combination_of(Reduction kind) {
  // In the order of Reduction.
  constexpr Binary kCombined[] = {Binary::kAdd,     Binary::kMultiply, Binary::kMaximum,
                                  Binary::kMinimum, Binary::kMaximum,  Binary::kAnd,
                                  Binary::kOr};
  return kCombined[static_cast<std::size_t>(kind)];
}

}  // namespace graphnet::lowering
