// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <vector>

#include "tvm_plugin/ffi.h"
#include "tvm_plugin/kernel.h"

namespace graphnet::tvm {

/// A kernel of `bind` as steps over whole float32 arrays, which this plugin runs itself. LLVM takes
/// as long for the repacking of a small weight as for any other kernel, and that runs once.
struct ArrayKernel {
  /// Numbers of the steps, one after the other; what each means stands in array_steps.cc. They
  /// travel as an argument of the call, so a stored program holds them.
  Shape steps;
  std::vector<ir::ValueId> inputs;  ///< stored values, in the order in which steps name them
};

/// nullopt: the kernel reduces or multiplies, has another type than float32, an array that is too
/// large to be cheaper this way, or a function whose result depends on who computes it (exp).
std::optional<ArrayKernel> array_kernel(const ir::Graph& graph, const KernelPlan& plan,
                                        const Kernel& kernel);

/// Runs the steps and writes the elements of the last array, `num_elements` of them.
///
/// inputs   dense, as many as the kernel has
/// errors   Failure RUNTIME_FAILED: the steps are none of array_kernel's
void run_array_steps(const Shape& steps, const std::vector<const float*>& inputs, float* result,
                     std::int64_t num_elements);

}  // namespace graphnet::tvm
