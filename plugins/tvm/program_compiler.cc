// SPDX-License-Identifier: MIT
#include "tvm_plugin/program_compiler.h"

#include <dlfcn.h>

#include <algorithm>
#include <utility>

#include "artifact/file_digest.h"
#include "graphnet/failure.h"
#include "tvm_plugin/graph_digest.h"
#include "tvm_plugin/kernel_profile.h"
#include "tvm_plugin/linked_code.h"
#include "tvm_plugin/schedule.h"
#include "tvm_plugin/tuning.h"
#include "tvm_plugin/tvm_library.h"

namespace graphnet::tvm {

namespace {

/// SHA-256 of the file that this code is in: its rules decide what programs become.
const std::string& own_digest() {
  static const std::string digest = [] {
    Dl_info info = {};
    if (::dladdr(reinterpret_cast<const void*>(&own_digest), &info) == 0) return std::string();
    return artifact::sha256_of_file(info.dli_fname).value_or("");
  }();
  return digest;
}

/// " (reason)" on one line, for `info`; nothing for nothing.
std::string in_brackets(std::string reason) {
  if (reason.empty()) return "";
  std::replace(reason.begin(), reason.end(), '\n', ' ');
  return " (" + reason + ")";
}

}  // namespace

ProgramCompiler::ProgramCompiler(Options options, Target target, Warn warn)
    : options_(std::move(options)),
      target_(std::move(target)),
      warn_(std::move(warn)),
      // What is measured next time may be better, so tuned programs are not kept; what is found
      // was not arranged here, so it has no profile.
      cache_(
          options_.schedule == Schedule::kTuned || options_.profile ? "" : options_.artifact_cache,
          warn_) {}

Origin ProgramCompiler::origin() const {
  return {TvmLibrary::identity(), describe(options_) + " mcpu=" + target_.mcpu,
          artifact::processor_digest()};
}

std::string ProgramCompiler::key_of(const lowering::ir::Graph& graph) const {
  const Origin here = origin();
  return artifact::sha256_hex(own_digest() + "\n" + here.tvm + "\n" + here.options + "\n" +
                              here.processor + "\n" + digest_of(graph));
}

std::unique_ptr<ProgramExecutable> ProgramCompiler::find(const std::string& key,
                                                         std::string& flaw) const {
  const std::optional<std::string> bytes = cache_.find(key);
  if (!bytes) return nullptr;
  try {
    return load(*bytes);
  } catch (const Failure& failure) {
    warn_("'" + cache_.file_of(key) + "' is written anew: " + failure.what());
    flaw = failure.what();
    return nullptr;
  }
}

/// Code as the next process will find it; what cannot be kept stays as LLVM has it.
CompiledCode ProgramCompiler::keep(const std::string& key, const CallPlan& plan, CompiledCode code,
                                   std::string& cache) const {
  try {
    const std::string linked = link_code(code, target_);
    CompiledCode loaded = load_code(linked);
    cache = cache_.keep(key, write_artifact({plan, linked}, origin())) ? "kept" : "not kept";
    return loaded;
  } catch (const Failure& failure) {
    warn_(failure.what());
    cache = "not kept" + in_brackets(failure.what());
    return code;
  }
}

std::vector<Ref> ProgramCompiler::tuned(const std::vector<ArrangedKernel>& kernels,
                                        std::string& report) const {
  std::vector<TuningTask> tasks;
  std::vector<std::size_t> indices;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    const ArrangedKernel& kernel = kernels[i];
    if (kernel.calls == 0) continue;  // runs in bind only
    tasks.push_back(
        {kernel.name, module_of(kernel.function), kernel.schedule, kernel.buffers, kernel.calls});
    indices.push_back(i);
  }
  const TuningReport made = tune(tasks, {static_cast<double>(options_.tune_seconds), kEnoughTrials,
                                         options_.tune_database, target_, warn_});
  report = std::to_string(tasks.size()) + " kernels, " + std::to_string(made.trials) +
           " candidates measured in " + std::to_string(static_cast<int>(made.seconds)) + " s, " +
           std::to_string(made.failures) + " of them failed, " + std::to_string(made.known) +
           " known";
  std::vector<Ref> functions(kernels.size());
  for (std::size_t i = 0; i < indices.size(); ++i) functions[indices[i]] = made.functions[i];
  return functions;
}

CompiledProgram ProgramCompiler::compile(const lowering::ir::Graph& graph) const {
  CompiledProgram compiled;
  const std::string key = cache_.is_on() ? key_of(graph) : "";
  std::string flaw;
  if (cache_.is_on()) compiled.executable = find(key, flaw);
  if (compiled.executable) {
    compiled.cache = "found";
    return compiled;
  }
  const KernelPlan kernels = plan_kernels(graph);
  const Improve improve = [&](const std::vector<ArrangedKernel>& arranged) {
    if (options_.profile) compiled.profile = profile_kernels(arranged, target_);
    if (options_.schedule == Schedule::kTuned) return tuned(arranged, compiled.tuning);
    return std::vector<Ref>(arranged.size());
  };
  const RelaxModule module = make_relax_module(graph, kernels, options_.schedule, improve);
  for (const std::string& refusal : module.refusals) {
    warn_("TVM refused a schedule, the kernel runs without: " + refusal);
  }
  CallPlan plan = make_call_plan(graph, kernels, module);
  CompiledCode code = compile_module(module.module, target_);
  if (cache_.is_on()) code = keep(key, plan, std::move(code), compiled.cache);
  compiled.cache += in_brackets(flaw);
  if (!code.machine.defined()) start(code);
  compiled.executable = std::make_unique<ProgramExecutable>(std::move(plan), std::move(code));
  return compiled;
}

std::string ProgramCompiler::store(const ProgramExecutable& executable) const {
  return write_artifact({executable.plan(), link_code(executable.code(), target_)}, origin());
}

std::unique_ptr<ProgramExecutable> ProgramCompiler::load(std::string_view bytes) const {
  Artifact artifact = read_artifact(bytes, origin());
  CompiledCode code = load_code(artifact.code);
  return std::make_unique<ProgramExecutable>(std::move(artifact.plan), std::move(code));
}

}  // namespace graphnet::tvm
