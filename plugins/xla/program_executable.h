// SPDX-License-Identifier: MIT
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "graphnet/abi.h"
#include "lowering/stablehlo/program.h"
#include "xla/compiled_module.h"
#include "xla/device_copy.h"
#include "xla/module_call.h"

namespace graphnet::xla {

/// A lowered program, compiled and ready to run: what stands behind a gn_executable.
///
/// Inputs are read where the host has them. A result with memory of its own among the arguments
/// (kResultMemory) is written straight into the host's output; any other is copied there. On a CUDA
/// device all tensors are its own; results are copied on the stream of the call.
class ProgramExecutable {
 public:
  /// Compiles both modules.
  ///
  /// errors   as CompiledModule::compile, program_check.h
  static std::unique_ptr<ProgramExecutable> compile(std::shared_ptr<const PjrtClient> client,
                                                    lowering::stablehlo::LoweredProgram program,
                                                    std::vector<CompileOverride> overrides);

  /// From modules that are compiled already; `main` and `bind` fit together (program_check.h).
  ProgramExecutable(std::shared_ptr<const PjrtClient> client, CompiledModule main,
                    std::vector<std::uint32_t> result_outputs, std::optional<CompiledModule> bind,
                    std::vector<CompileOverride> overrides);

  /// Hands over the weights: runs the bind module, if there is one, and keeps its results. Weights
  /// that the main module takes itself are read in place.
  ///
  /// errors   INVALID_ARGUMENT: a weight of another type or shape; RUNTIME_FAILED, OUT_OF_MEMORY
  void bind(gn_bind_args& args);

  /// errors   INVALID_ARGUMENT: a tensor of another type or shape, bind missing; RUNTIME_FAILED,
  ///          OUT_OF_MEMORY
  void run(const gn_run_args& args);

  const CompiledModule& main() const { return main_; }
  const CompiledModule* bind_module() const { return bind_ ? &*bind_ : nullptr; }
  const std::vector<std::uint32_t>& result_outputs() const { return result_outputs_; }
  /// The compile options that XLA took.
  const std::vector<CompileOverride>& overrides() const { return overrides_; }
  const PjrtClient& client() const { return *client_; }
  /// Of the calls so far; none on the CPU.
  const CallTimes& call_times() const { return clock_.times(); }

 private:
  /// An input that is an argument of main.
  struct Input {
    std::size_t position = 0;  ///< among main's arguments
    const std::byte* source = nullptr;
    OwnedBuffer buffer;
  };
  /// An argument of main that is memory for a result.
  struct ResultMemory {
    std::size_t position = 0;
    pjrt::BufferFromHostBufferArgs args;
    OwnedBuffer buffer;
  };
  struct Result {
    std::byte* data = nullptr;
    std::size_t num_bytes = 0;
  };

  void set_up_arguments();
  void run_bind_module(const gn_bind_args& args);
  void attach(const gn_run_args& args);
  void attach_input(Input& input, const std::byte* source);
  void lend_result_memory();
  void take_results(void* stream);

  std::shared_ptr<const PjrtClient> client_;
  CompiledModule main_;
  std::vector<std::uint32_t> result_outputs_;
  std::optional<CompiledModule> bind_;
  std::vector<CompileOverride> overrides_;
  std::vector<OwnedBuffer> weights_;  ///< arguments of main, in its order
  std::vector<OwnedBuffer> bound_;    ///< results of the bind module
  std::vector<Input> inputs_;
  std::vector<ResultMemory> result_memory_;
  std::vector<Result> results_;
  ModuleCall call_;
  CallClock clock_;
  std::optional<DeviceCopy> device_copy_;  ///< on a CUDA device
  bool is_bound_ = false;
  bool is_attached_ = false;
};

}  // namespace graphnet::xla
