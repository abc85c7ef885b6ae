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
/// Lowered code calls a function by name; take_vector_functions() writes it as LLVM's text, and
/// LLVM puts its code in place of the call. TVM's expressions would not do: its LLVM generator puts
/// the value of each variable in its place before it looks at the next, and a polynomial without
/// variables is its own size to the power of its depth. A softmax of a sigmoid took 20 s.
/// With Math::kLibrary nothing is told to TVM.
///
/// errors   Failure UNAVAILABLE: TVM was told the other in this process, and it does not forget
void register_vector_math(Math math);

/// LLVM's text of the functions that code calls which this thread lowered since the last call;
/// empty: none.
std::string take_vector_functions();

/// One line for `info`: what is used and how wrong it can be.
std::string describe(Math math);

}  // namespace graphnet::tvm
