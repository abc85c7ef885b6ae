// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "tvm_plugin/ffi.h"
#include "tvm_plugin/kernel.h"

namespace graphnet::tvm {

/// What TE cannot say: sorting, and scatter, whose positions are known at run time. They are
/// functions of this plugin, called by the virtual machine as "graphnet.sort", "graphnet.scatter".
///
/// source   TVM does the same: its sort is a C++ function in libtvm_runtime_extra
void register_extern_functions();

std::string extern_name(const ir::Operation& operation);
/// Buffers that the kernel reads and writes.
KernelFunction extern_signature(const ir::Graph& graph, const KernelPlan& plan,
                                const Kernel& kernel);
/// Arguments of the call: the buffers read, then its attributes.
Array<Ref> extern_arguments(const ir::Graph& graph, const Kernel& kernel,
                            const Array<Ref>& buffers);

}  // namespace graphnet::tvm
