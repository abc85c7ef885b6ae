// SPDX-License-Identifier: MIT
#pragma once

#include "tvm_plugin/ffi.h"

namespace graphnet::tvm {

/// Keeps what kernels accumulate on the stack, where LLVM sees that no other memory is the same.
///
/// TVM takes buffers from 1 KiB on from its workspace. The function that it makes of a parallel
/// loop has arguments that may overlap that memory for all that LLVM knows, so the tile of a
/// product was written to memory after each step of the depth: half the speed.
///
/// order    before LowerTVMBuiltin, after whatever makes or moves buffers
/// module   changed in place
/// errors   ffi::Error, as TVM raises it
Ref keep_on_stack(Ref module);

}  // namespace graphnet::tvm
