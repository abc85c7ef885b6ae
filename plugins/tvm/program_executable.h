// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graphnet/abi.h"
#include "tvm_plugin/call_plan.h"
#include "tvm_plugin/pipeline.h"

namespace graphnet::tvm {

/// A compiled program with its weights: what stands behind a gn_executable.
class ProgramExecutable {
 public:
  /// errors   ffi::Error
  ProgramExecutable(CallPlan plan, CompiledCode code);

  /// Runs the function "bind" on the weights and keeps what it gives.
  ///
  /// errors   Failure INVALID_ARGUMENT; ffi::Error
  void bind(gn_bind_args& args);
  /// errors   Failure INVALID_ARGUMENT: bind missing; ffi::Error
  void run(const gn_run_args& args);

  const CallPlan& plan() const { return plan_; }
  const CompiledCode& code() const { return code_; }

 private:
  void run_bind_function(gn_bind_args& args);
  void attach(const gn_run_args& args);
  void take(const ffi::Tensor& value, std::size_t output, const gn_run_args& args) const;

  CallPlan plan_;
  CompiledCode code_;
  ffi::Function main_;
  std::vector<ffi::Tensor> values_;  ///< as in the plan: what is known after bind
  std::vector<ffi::Tensor> parameters_;
  std::vector<ffi::AnyView> arguments_;
  std::vector<std::vector<std::size_t>> outputs_of_result_;
  bool is_bound_ = false;
  bool is_attached_ = false;
};

}  // namespace graphnet::tvm
