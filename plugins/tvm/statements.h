// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "tvm_plugin/ffi.h"

namespace graphnet::tvm {

/// The function with its tiles of sums on the stack, where LLVM knows that nothing else points to
/// them.
///
/// TVM takes buffers from 1 KiB on from its workspace. The function that it makes of a parallel
/// loop has arguments that may overlap that memory for all that LLVM knows, so the tile of a
/// product was written to memory after each step of the depth: half the speed.
///
/// order     before LowerTVMBuiltin, after whatever makes or moves buffers
/// function  lowered (tirx.PrimFunc)
/// errors    ffi::Error, as TVM raises it
Ref with_tiles_on_stack(const Ref& function);

/// Statements of a lowered function that hold no others; what LLVM takes for it grows with them.
std::int64_t num_statements(const Ref& function);

}  // namespace graphnet::tvm
