// SPDX-License-Identifier: MIT
#pragma once

#include "tvm_plugin/ffi.h"

namespace graphnet::tvm {

/// Has each step of a product ask for the part of its right side that it reads 4 KiB later.
///
/// A product of few rows is as fast as its right side comes from memory, and the processor's own
/// prefetcher stops at the end of a page.
///
/// order    last: primitives do not expect statements beside a block
/// shapes   step: loop of `schedule` around the loops over rows and over a panel's columns
///          (variable, vectorised) of a block `acc += left * right[..., depth, column]`.
///          Where the block has another form, or the right side less than 128 KiB, nothing is
///          changed
/// errors   ffi::Error, as TVM raises it
void prefetch_right_side(const Ref& schedule, const Ref& step);

}  // namespace graphnet::tvm
