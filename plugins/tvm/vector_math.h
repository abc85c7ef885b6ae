// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tvm_plugin/options.h"

namespace graphnet::tvm {

/// Tells TVM to write exp, log, log1p, tanh and erf of float32 as polynomials of whole vectors; by
/// itself it calls the C library for each element, which costs 10 to 40 times as much. Of vectors
/// and numbers alike. Errors in units in the last place, against float64: exp, log 1; tanh, log1p
/// 3; erf 4. NaN, infinities and subnormal results are those of the C library.
///
/// They are written where TVM lowers intrinsics, its last step: its simplifier puts the values of
/// variables in their place, and a polynomial without variables is its own size to the power of its
/// depth. With Math::kLibrary nothing is told to it.
///
/// errors   Failure UNAVAILABLE: TVM was told the other in this process, and it does not forget
void register_vector_math(Math math);

/// One line for `info`: what is used and how wrong it can be.
std::string describe(Math math);

}  // namespace graphnet::tvm
