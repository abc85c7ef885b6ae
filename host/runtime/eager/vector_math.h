// SPDX-License-Identifier: MIT
#pragma once

#include <array>

#include "base/status.h"

namespace graphnet::eager {

/// The functions of one operand for which at::vml calls libtorch's maths library, MKL, from each of
/// its threads.
inline constexpr std::array kVectorFunctions = {"acos",   "asin", "atan", "cos",  "erf",   "erfc",
                                                "erfinv", "exp",  "log",  "log2", "log10", "sin",
                                                "sqrt",   "tan",  "tanh", "trunc"};

/// Calls each of them, in float32 and float64, on the calling thread.
///
/// errors   as the wall of this folder (wall.h)
base::Status call_vector_functions();

/// Has MKL choose its kernel for each vector function, on the calling thread; a warning says if
/// that fails. MKL would choose in the first call, without a lock: a second thread that calls at
/// that moment may compute its share with a kernel of low accuracy
/// (github.com/pytorch/pytorch/issues/188792), so that eager's first results differ from all later
/// ones. Must precede libtorch's first parallel call.
///
/// cost     once in a process and those forked from it, 4 ms where nothing was called before;
/// starts no thread
void resolve_vector_math();

}  // namespace graphnet::eager
