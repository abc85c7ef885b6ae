// SPDX-License-Identifier: MIT
//
// Primitives written as others, for targets that do not have them.
#pragma once

#include <cstdint>
#include <utility>

#include "lowering/builder.h"

namespace graphnet::lowering {

/// exp(x) - 1, with all digits near 0.
Tensor expm1_by_tanh(Builder& b, const Tensor& x);

/// Emitter::reduce_index by a maximum (minimum) and the least position that equals it, or is NaN.
///
/// errors   LoweringError: x has no element
std::pair<Tensor, Tensor> first_extreme(Builder& b, bool largest, const Tensor& x,
                                        std::int64_t dim);

/// Emitter::dot as all products, then their sums.
///
/// shapes   memory for batch x rows x columns x depth elements
Tensor dot_by_products(Builder& b, const Tensor& left, const Tensor& right,
                       const Contraction& contraction);

/// Extents of the four kinds of dimensions of a product; those of one kind multiplied.
struct ProductExtents {
  std::int64_t batch = 1;
  std::int64_t rows = 1;
  std::int64_t columns = 1;
  std::int64_t depth = 1;
  Shape left_rest;   ///< dimensions of the left operand that are rows
  Shape right_rest;  ///< of the right one that are columns
  Shape result;      ///< shape: batch, rows, columns
};
ProductExtents extents_of_product(const Tensor& left, const Tensor& right,
                                  const Contraction& contraction);

/// Both operands as [batch, rows, depth] and [batch, columns, depth].
std::pair<Tensor, Tensor> as_matrices(Builder& b, const Tensor& left, const Tensor& right,
                                      const Contraction& contraction);

/// The operation that combines two elements as the reduction does.
Binary combination_of(Reduction kind);

}  // namespace graphnet::lowering
