// SPDX-License-Identifier: MIT
#include "tvm_plugin/program_compiler.h"

#include <utility>

#include "artifact/file_digest.h"
#include "graphnet/failure.h"
#include "tvm_plugin/linked_code.h"
#include "tvm_plugin/schedule.h"
#include "tvm_plugin/tuning.h"
#include "tvm_plugin/tvm_library.h"

namespace graphnet::tvm {

ProgramCompiler::ProgramCompiler(Options options, Target target, Warn warn,
                                 IsCancelled is_cancelled)
    : options_(std::move(options)),
      target_(std::move(target)),
      warn_(std::move(warn)),
      is_cancelled_(std::move(is_cancelled)) {}

Origin ProgramCompiler::origin() const {
  return {
      TvmLibrary::identity(),
      describe(options_) + " mcpu=" + target_.mcpu + " threads=" + std::to_string(target_.threads),
      artifact::processor_digest()};
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
                                         options_.tune_database, target_, warn_, is_cancelled_});
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
  const KernelPlan kernels = plan_kernels(graph, target_.unit, target_.threads);
  const Improve improve = [&](const std::vector<ArrangedKernel>& arranged) {
    if (options_.profile) compiled.notes = note_kernels(arranged);
    if (options_.schedule == Schedule::kTuned) return tuned(arranged, compiled.tuning);
    return std::vector<Ref>(arranged.size());
  };
  const KernelModule module = make_kernel_module(graph, kernels, options_.schedule, improve);
  for (const std::string& refusal : module.refusals) {
    warn_("TVM refused a schedule, the kernel runs without: " + refusal);
  }
  CallPlan plan = make_call_plan(graph, kernels, module);
  CompiledCode code = compile_module(module.module, target_);
  compiled.executable = executable_of(std::move(plan), std::move(code));
  return compiled;
}

std::unique_ptr<ProgramExecutable> ProgramCompiler::executable_of(CallPlan plan,
                                                                  CompiledCode code) const {
  auto executable = std::make_unique<ProgramExecutable>(std::move(plan), std::move(code));
  if (options_.profile) executable->start_profile();
  return executable;
}

std::string ProgramCompiler::store(const ProgramExecutable& executable) const {
  return write_artifact({executable.plan(), link_code(executable.code())}, origin());
}

std::unique_ptr<ProgramExecutable> ProgramCompiler::load(std::string_view bytes) const {
  Artifact artifact = read_artifact(bytes, origin());
  CompiledCode code = load_code(artifact.code);
  return executable_of(std::move(artifact.plan), std::move(code));
}

}  // namespace graphnet::tvm
