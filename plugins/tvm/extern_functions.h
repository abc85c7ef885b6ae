// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>

#include "tvm_plugin/ffi.h"
#include "tvm_plugin/kernel.h"

namespace graphnet::tvm {

/// Registers "graphnet.sort", "graphnet.scatter", "graphnet.arrays", "graphnet.winograd_input",
/// "_kernel" and "_output", "graphnet.paired_dot" and "graphnet.attention", functions of this
/// plugin that a program calls as it calls kernels.
///
/// source   TVM does the same: its sort is a C++ function in libtvm_runtime_extra
void register_extern_functions();

/// A call of such a function in place of a compiled kernel.
struct ExternCall {
  std::string name;
  KernelFunction function;  ///< the buffers that it reads and writes; no PrimFunc
  Shape attributes;         ///< the argument between them
};

/// nullopt: the kernel is compiled. TE cannot say sort and scatter, and its functions have one
/// result at a position, of which the tiles of winograd.h have 36; what attention.h keeps in the
/// cache would be a buffer; and TVM knows nothing of the matrix unit of paired_product.h. With
/// `takes_arrays` the small kernels of `bind` are steps over arrays (array_steps.h).
std::optional<ExternCall> extern_call(const ir::Graph& graph, const KernelPlan& plan,
                                      const Kernel& kernel, bool takes_arrays);

}  // namespace graphnet::tvm
