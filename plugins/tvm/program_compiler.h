// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tvm_plugin/artifact.h"
#include "tvm_plugin/kernel_profile.h"
#include "tvm_plugin/options.h"
#include "tvm_plugin/program_executable.h"

namespace graphnet::tvm {

/// An executable and what was found out while it was made.
struct CompiledProgram {
  std::unique_ptr<ProgramExecutable> executable;
  std::string tuning;  ///< what it measured; empty if it was not asked to
  KernelNotes notes;   ///< empty if no profile was asked for
};

/// From a legalised graph to a program that runs.
class ProgramCompiler {
 public:
  using Warn = std::function<void(const std::string&)>;
  using IsCancelled = std::function<bool()>;

  ProgramCompiler(
      Options options, Target target, Warn warn, IsCancelled is_cancelled = [] { return false; });

  /// errors   LoweringError; ffi::Error
  CompiledProgram compile(const lowering::ir::Graph& graph) const;
  /// errors   Failure as link_code
  std::string store(const ProgramExecutable& executable) const;
  /// errors   Failure as read_artifact and load_code
  std::unique_ptr<ProgramExecutable> load(std::string_view bytes) const;

  const Options& options() const { return options_; }
  const Target& target() const { return target_; }

 private:
  Origin origin() const;
  std::unique_ptr<ProgramExecutable> executable_of(CallPlan plan, CompiledCode code) const;
  std::vector<Ref> tuned(const std::vector<ArrangedKernel>& kernels, std::string& report) const;

  Options options_;
  Target target_;
  Warn warn_;
  IsCancelled is_cancelled_;
};

}  // namespace graphnet::tvm
