// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tvm_plugin/ffi.h"
#include "tvm_plugin/fusion.h"
#include "tvm_plugin/kernel.h"
#include "tvm_plugin/kernel_timer.h"
#include "tvm_plugin/options.h"

namespace graphnet::tvm {

/// A call of a kernel: of a compiled one, or of a function of this plugin (extern_functions.h).
struct KernelCall {
  std::string function;  ///< its name in the module, or among TVM's global functions
  bool is_extern = false;
  std::vector<ir::ValueId> inputs;
  Shape attributes;  ///< is_extern: the argument between inputs and results
  std::vector<ir::ValueId> results;
};

/// A graph as one PrimFunc a kernel, equal kernels as one, and the calls of them in order: those of
/// `bind`, whose results depend on weights alone, and those of every call.
struct KernelModule {
  Ref module;
  std::vector<KernelCall> bind;
  std::vector<KernelCall> main;
  std::map<ir::ValueId, KernelResult> results;  ///< of all calls
  std::map<std::string, int> rules;             ///< distinct kernels by the rule that arranged them
  std::vector<std::string> refusals;  ///< schedules that TVM refused; those kernels have none
};

/// A distinct kernel with its loops arranged, and how often `main` calls it.
struct ArrangedKernel {
  std::string name;
  std::string rule;
  Ref function;  ///< its loops as TE writes them
  Ref schedule;
  std::vector<BufferShape> buffers;
  std::int64_t calls = 0;
};
/// Gives better functions for kernels, or null for what stays as it is.
using Improve = std::function<std::vector<Ref>(const std::vector<ArrangedKernel>&)>;

/// improve  may be empty
///
/// errors   LoweringError; ffi::Error where TVM refuses; those of `improve`
KernelModule make_kernel_module(const ir::Graph& graph, const KernelPlan& plan, Schedule schedule,
                                const Improve& improve = nullptr);

}  // namespace graphnet::tvm
