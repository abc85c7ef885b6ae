// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "tvm_plugin/artifact.h"
#include "tvm_plugin/artifact_cache.h"
#include "tvm_plugin/options.h"
#include "tvm_plugin/program_executable.h"

namespace graphnet::tvm {

/// An executable and where it is from.
struct CompiledProgram {
  std::unique_ptr<ProgramExecutable> executable;
  std::string cache = "off";  ///< "off", "found", "kept", "not kept"; a reason follows in brackets
  std::string tuning;         ///< what it measured; empty if it was not asked to
  std::string profile;        ///< profile_kernels; empty if it was not asked for
};

/// From a legalised graph to a program that runs: compiled, or found in the artifact cache.
class ProgramCompiler {
 public:
  using Warn = std::function<void(const std::string&)>;

  ProgramCompiler(Options options, Target target, Warn warn);

  /// With a cache the code that runs is the linked one from the first time on.
  ///
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
  std::vector<Ref> tuned(const std::vector<ArrangedKernel>& kernels, std::string& report) const;
  std::string key_of(const lowering::ir::Graph& graph) const;
  std::unique_ptr<ProgramExecutable> find(const std::string& key, std::string& flaw) const;
  CompiledCode keep(const std::string& key, const CallPlan& plan, CompiledCode code,
                    std::string& cache) const;

  Options options_;
  Target target_;
  Warn warn_;
  ArtifactCache cache_;
};

}  // namespace graphnet::tvm
