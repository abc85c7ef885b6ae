// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tvm_plugin/ffi.h"
#include "tvm_plugin/fusion.h"
#include "tvm_plugin/kernel_timer.h"
#include "tvm_plugin/options.h"

namespace graphnet::tvm {

/// Stored values that a function of the module takes and gives.
struct FunctionSignature {
  std::vector<ir::ValueId> parameters;
  std::vector<ir::ValueId> results;
};

/// A graph as a Relax module: functions "main" and, where anything depends on weights alone,
/// "bind"; each calls one PrimFunc a kernel. Equal kernels are one PrimFunc.
struct RelaxModule {
  Ref module;
  FunctionSignature main;
  FunctionSignature bind;             ///< no results: there is no such function
  std::map<std::string, int> rules;   ///< kernels by the rule that arranged them
  std::vector<std::string> refusals;  ///< schedules that TVM refused; those kernels have none
  int num_kernels = 0;                ///< calls of "main"
};

/// A distinct kernel with its loops arranged, and how often "main" calls it.
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
RelaxModule make_relax_module(const ir::Graph& graph, const KernelPlan& plan, Schedule schedule,
                              const Improve& improve = nullptr);

}  // namespace graphnet::tvm
