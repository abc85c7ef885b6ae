// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/ir/built.h"

namespace graphnet::lowering::ir {

/// The graph without complex numbers and Fourier transforms, for compilers that have neither: a
/// complex value is two, its real and its imaginary part. A transform is a product with a matrix of
/// cosines and one of sines; where the length is above 128 and has factors, it is two shorter ones
/// (Cooley and Tukey). Composites that have complex values become what they stand for. A graph
/// without complex values stays as it is.
///
/// shapes   inputs, weights and outputs that are complex: [..., 2], as memory holds them
/// errors   failures: of complex numbers matrix products, convolutions, quotients, sorts, scatters,
///          windows, reductions other than sums, functions other than exp, and conversions to bool;
///          a transform over several dimensions in one operation, or of a length with a prime
///          factor above 4096
Built with_real_parts(const Graph& graph);

}  // namespace graphnet::lowering::ir
