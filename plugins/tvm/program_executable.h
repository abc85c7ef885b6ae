// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <vector>

#include "graphnet/abi.h"
#include "tvm_plugin/call_plan.h"
#include "tvm_plugin/kernel_profile.h"
#include "tvm_plugin/memory_block.h"
#include "tvm_plugin/memory_plan.h"
#include "tvm_plugin/pipeline.h"

namespace graphnet::tvm {

/// Values, and where each lies in a block.
struct Layout {
  std::vector<std::int32_t> values;
  MemoryPlan memory;
};

/// A compiled program with its weights: what stands behind a gn_executable. It calls the kernels
/// itself, one after the other, with arguments that are written once. TVM's virtual machine, which
/// it replaces, took 0.4 to 0.7 us a kernel to make, name and forget tensors.
///
/// What calls of a run make for each other lies in one block of memory, what bind keeps in a
/// second. Outputs that a run makes are written where the host wants them; others, and those that
/// are a value once more, are copied.
class ProgramExecutable {
 public:
  /// errors   Failure INVALID_ARGUMENT, ffi::Error: a function that the plan names does not exist
  ProgramExecutable(CallPlan plan, CompiledCode code);

  /// Makes the calls of `bind` on the weights and keeps what they give.
  ///
  /// errors   Failure INVALID_ARGUMENT; ffi::Error
  void bind(gn_bind_args& args);
  /// errors   Failure INVALID_ARGUMENT: bind missing; ffi::Error
  void run(const gn_run_args& args);

  /// From now on, runs after the first measure each call: a clock is read between calls.
  void start_profile() { times_.seconds.resize(plan_.main.size()); }
  /// Empty without start_profile.
  const CallTimes& call_times() const { return times_; }

  const CallPlan& plan() const { return plan_; }
  const CompiledCode& code() const { return code_; }

 private:
  /// A call with its arguments, which point to tensors_ and attributes_.
  struct ReadyCall {
    ffi::Function function;
    std::vector<ffi::AnyView> arguments;
  };
  ReadyCall ready(const KernelCall& call);
  /// A block for values, which are placed in it.
  MemoryBlock block_of(const Layout& layout);
  void place(std::int32_t id, void* data);
  void place_weights(const gn_bind_args& args);
  void attach(const gn_run_args& args);
  void make_timed_calls();
  void copy_outputs(const gn_run_args& args) const;

  CallPlan plan_;
  CompiledCode code_;
  std::vector<ffi::Tensor> tensors_;  ///< by value; null data: not known, or gone
  std::vector<ffi::Shape> attributes_;
  std::vector<ReadyCall> bind_calls_;
  std::vector<ReadyCall> main_calls_;
  Layout bind_layout_;  ///< what `bind` makes for itself
  Layout kept_layout_;  ///< what it makes for others
  Layout main_layout_;
  MemoryBlock kept_;
  MemoryBlock scratch_;
  /// Of outputs that a call writes where the host wants them: the first of each value.
  std::vector<std::size_t> written_outputs_;
  std::vector<std::size_t> copied_outputs_;
  CallTimes times_;
  bool was_run_ = false;
  bool is_bound_ = false;
  bool is_attached_ = false;
};

}  // namespace graphnet::tvm
