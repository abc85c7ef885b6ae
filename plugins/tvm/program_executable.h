// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "graphnet/abi.h"
#include "lowering/aligned_copy.h"
#include "tvm_plugin/pipeline.h"
#include "tvm_plugin/relax_module.h"

namespace graphnet::tvm {

/// A compiled program with its weights: what stands behind a gn_executable.
class ProgramExecutable {
 public:
  /// errors   ffi::Error
  ProgramExecutable(Program program, RelaxModule module, CompiledCode code, KernelPlan plan);

  /// Runs the function "bind" on the weights and keeps what it gives.
  ///
  /// errors   Failure INVALID_ARGUMENT; ffi::Error
  void bind(gn_bind_args& args);
  /// errors   Failure INVALID_ARGUMENT: bind missing; ffi::Error
  void run(const gn_run_args& args);

  const RelaxModule& module() const { return module_; }
  std::int64_t num_bind_kernels() const { return static_cast<std::int64_t>(plan_.bind.size()); }

 private:
  /// An input that is copied in each call, because it lies where vectors cannot be loaded.
  struct CopiedInput {
    const void* source = nullptr;
    lowering::AlignedCopy copy;
    std::size_t num_bytes = 0;
  };

  void* constant_data(std::uint32_t index);
  void* input_data(const DLTensor& tensor, const Node& node);
  void* weight_data(const DLTensor& tensor, const Node& node);
  ffi::Tensor view(std::int32_t node, void* data) const;
  void attach(const gn_run_args& args);
  void take(const ffi::Tensor& value, const DLTensor& output) const;

  Program program_;
  RelaxModule module_;
  CompiledCode code_;
  KernelPlan plan_;
  ffi::Function main_;
  std::vector<lowering::AlignedCopy> kept_;  ///< constants, and weights that lie badly
  std::vector<CopiedInput> copied_inputs_;
  std::vector<ffi::Tensor> values_;  ///< by node: what is known after bind
  std::vector<ffi::Tensor> parameters_;
  std::vector<ffi::AnyView> arguments_;
  std::vector<std::vector<std::size_t>> outputs_of_result_;
  bool is_bound_ = false;
  bool is_attached_ = false;
};

}  // namespace graphnet::tvm
