// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "tvm_plugin/ffi.h"
#include "tvm_plugin/vector_unit.h"

namespace graphnet::tvm {

/// Where code runs, as TVM describes it.
struct Target {
  Ref target;
  std::string mcpu;
  VectorUnit unit = kAvx512;
  int threads = 1;
};

/// mcpu    LLVM's name of a processor; empty: the x86-64 level that CPUID shows, since LLVM takes
///         processors newer than itself for older ones
///
/// errors  Failure INVALID_ARGUMENT: LLVM does not know the name (TVM would take a generic one)
Target make_target(const std::string& mcpu, int threads);

/// Machine code of a module's kernels.
struct CompiledCode {
  std::vector<Ref> libraries;
  bool is_loaded = false;  ///< from a file (linked_code.h): LLVM has no objects of it

  /// errors   Failure INVALID_ARGUMENT: there is no such kernel
  ffi::Function kernel(const std::string& name) const;
};

/// Lowers kernels and makes machine code of them.
///
/// errors   ffi::Error
Ref build_kernels(const Ref& module, const Target& target);
/// Kernels are compiled and emitted on as many threads as this one may use cores.
///
/// errors   ffi::Error
CompiledCode compile_module(const Ref& module, const Target& target);

}  // namespace graphnet::tvm
