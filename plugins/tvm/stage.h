// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>

#include "tvm_plugin/expression.h"

namespace graphnet::tvm {

/// Loops of one stage of a TE function.
struct Axes {
  Array<Ref> iterators;
  Exprs variables;

  Expr add(const std::string& name, std::int64_t extent, int kind);
};

/// One loop for each extent, over results or over what is reduced.
Axes loops_over(const lowering::Shape& shape);
Axes reductions_over(const lowering::Shape& shape);

/// A tensor whose elements are `body`.
Ref compute(const std::string& name, const Axes& axes, const Expr& body);
/// The reduction of `element` over loops of reductions_over; in float32 for bfloat16.
Expr reduced(lowering::Reduction kind, Type type, const Expr& element, const Axes& over);
/// Reduces pairs of a value and its index (int64) to the largest (smallest); NaN is beyond
/// everything, of equal ones the first wins.
Ref index_reducer(bool largest, Type type);

/// Rows of a register tile, at most `most`: few enough that its sums stay in registers, few wasted.
std::int64_t tile_of(std::int64_t extent, std::int64_t most);

}  // namespace graphnet::tvm
