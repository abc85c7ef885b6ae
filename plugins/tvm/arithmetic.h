// SPDX-License-Identifier: MIT
#pragma once

#include "tvm_plugin/expression.h"

namespace graphnet::tvm {

/// What a primitive does to one element of this type. exp, log, log1p, tanh and erf of float32 are
/// intrinsics of TVM, which vector_math.h writes out; float64, sine, cosine and powers call the C
/// library.
Expr unary(lowering::Unary kind, Type type, const Expr& x);
Expr binary(lowering::Binary kind, Type type, const Expr& a, const Expr& b);
Expr compare(lowering::Comparison kind, Type type, const Expr& a, const Expr& b);
Expr convert(const Expr& x, Type from, Type to);

/// By its bits: TVM's comparisons take NaN to be equal to itself.
Expr is_nan(Type type, const Expr& x);
/// One step of a reduction, and what it starts from.
Expr combine(lowering::Reduction kind, Type type, const Expr& a, const Expr& b);
Expr identity(lowering::Reduction kind, Type type);
/// A half of them with the other half, until one is left: steps that need not wait for each other.
///
/// shapes   a power of two
Expr combine_in_pairs(lowering::Reduction kind, Type type, Exprs parts);

}  // namespace graphnet::tvm
