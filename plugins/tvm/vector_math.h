// SPDX-License-Identifier: MIT
#pragma once

namespace graphnet::tvm {

/// Tells TVM to write exp, log, log1p, tanh and erf of float32 as polynomials of whole vectors; by
/// itself it calls the C library for each element, which costs 10 to 40 times as much. Of vectors
/// and numbers alike. Errors in units in the last place, against float64: exp, log 1; tanh, log1p
/// 3; erf 4. NaN, infinities and subnormal results are those of the C library.
///
/// They are written where TVM lowers intrinsics, its last step: its simplifier puts the values of
/// variables in their place, and a polynomial without variables is its own size to the power of its
/// depth.
void register_vector_math();

}  // namespace graphnet::tvm
