// SPDX-License-Identifier: MIT
//
// Apache TVM driven from C++: graph -> primitives (emitter.h) -> kernels (fusion.h) -> TE functions
// (kernel.h) with loops arranged by rule (schedule.h) -> Relax module -> LLVM and virtual machine.
#include "graphnet/plugin.h"

#include <memory>
#include <string>
#include <utility>

#include "graphnet/graph_view.h"
#include "lowering/lower_graph.h"
#include "tvm_plugin/emitter.h"
#include "tvm_plugin/extern_functions.h"
#include "tvm_plugin/failure.h"
#include "tvm_plugin/ffi_symbols.h"
#include "tvm_plugin/op_table.h"
#include "tvm_plugin/options.h"
#include "tvm_plugin/pipeline.h"
#include "tvm_plugin/program_executable.h"
#include "tvm_plugin/tvm_library.h"
#include "tvm_plugin/vector_math.h"

struct gn_backend {
  const gn_host_api* host = nullptr;
  graphnet::tvm::Options options;
  graphnet::tvm::Target target;
  std::string info;
};

struct gn_executable {
  const gn_host_api* host = nullptr;
  std::unique_ptr<graphnet::tvm::ProgramExecutable> program;
  std::string info;
};

namespace {

using graphnet::from_gn;
using graphnet::to_gn;
using graphnet::tvm::Failure;
using graphnet::tvm::ProgramExecutable;

constexpr const char* kName = "tvm";
constexpr const char* kVersion = "0.1.0";

/// The wall of every entry point: failures of ours carry their own code, TVM's get the phase's.
template <typename Body>
gn_status* wall(const gn_host_api* host, std::uint32_t code, Body body) noexcept {
  return graphnet::guard(host, [&]() -> gn_status* {
    try {
      return body();
    } catch (const Failure& failure) {
      return graphnet::fail(host, failure.code(), failure.what());
    } catch (const graphnet::tvm::ffi::Error& error) {
      host->log(host->host, GN_LOG_DEBUG, to_gn("TVM's frames:\n" + error.backtrace()));
      return graphnet::fail(host, code, "TVM: " + error.kind() + ": " + error.message());
    }
  });
}

gn_status* create(const gn_create_args* args, gn_backend** out) {
  const gn_host_api* host = args->host;
  return wall(host, GN_STATUS_UNAVAILABLE, [&]() -> gn_status* {
    if (host->device.device_type != kDLCPU) {
      throw Failure(GN_STATUS_UNAVAILABLE, "plugin tvm runs on the CPU only");
    }
    auto backend = std::make_unique<gn_backend>();
    backend->host = host;
    backend->options = graphnet::tvm::read_options(args->options, args->num_options);
    graphnet::tvm::TvmLibrary::open(host->num_threads);
    graphnet::tvm::register_extern_functions();
    graphnet::tvm::register_vector_math();
    backend->target = graphnet::tvm::make_target(backend->options.mcpu, host->num_threads);
    *out = backend.release();
    return nullptr;
  });
}

void destroy(gn_backend* backend) {
  delete backend;
}

gn_status* bind(gn_executable* executable, gn_bind_args* args) {
  return wall(executable->host, GN_STATUS_RUNTIME_FAILED, [&]() -> gn_status* {
    executable->program->bind(*args);
    return nullptr;
  });
}

void executable_destroy(gn_executable* executable) {
  delete executable;
}

std::string describe_backend(const gn_backend& backend) {
  std::string text = "threads: " + std::to_string(backend.host->num_threads) + "\n";
  return text + "packages: " + graphnet::tvm::pinned_packages() +
         "\nfolder: " + graphnet::tvm::tvm_folder() +
         "\ntvm_ffi: " + graphnet::tvm::TvmLibrary::ffi_version() +
         "\nmcpu: " + backend.target.mcpu + "\n";
}

std::string describe_program(const ProgramExecutable& program) {
  const graphnet::tvm::RelaxModule& module = program.module();
  std::string rules;
  for (const auto& [rule, count] : module.rules) {
    rules += (rules.empty() ? "" : " ") + rule + "=" + std::to_string(count);
  }
  std::string text = "main_kernels: " + std::to_string(module.num_kernels) +
                     "\nbind_kernels: " + std::to_string(program.num_bind_kernels()) + "\n";
  if (!rules.empty()) text += "distinct_kernels_by_rule: " + rules + "\n";
  return text;
}

gn_status* info(gn_backend* backend, gn_executable* executable, gn_info* out) {
  return wall(backend->host, GN_STATUS_INTERNAL, [&]() -> gn_status* {
    std::string& text = executable == nullptr ? backend->info : executable->info;
    text = describe_backend(*backend);
    if (executable != nullptr) text += describe_program(*executable->program);
    out->text = to_gn(text);
    return nullptr;
  });
}

std::unique_ptr<ProgramExecutable> compile(const gn_backend& backend,
                                           graphnet::tvm::Program program) {
  graphnet::tvm::KernelPlan plan = graphnet::tvm::plan_kernels(program);
  graphnet::tvm::RelaxModule module =
      graphnet::tvm::make_relax_module(program, plan, backend.options.schedule);
  for (const std::string& refusal : module.refusals) {
    backend.host->log(backend.host->host, GN_LOG_WARNING,
                      to_gn("TVM refused a schedule, the kernel runs without: " + refusal));
  }
  graphnet::tvm::CompiledCode code = graphnet::tvm::compile_module(module.module, backend.target);
  return std::make_unique<ProgramExecutable>(std::move(program), std::move(module), std::move(code),
                                             std::move(plan));
}

constexpr gn_backend_api kApi = {
    sizeof(gn_backend_api),
    create,
    destroy,
    gn_backend_compile,
    gn_backend_run,
    bind,
    executable_destroy,
    info,
    nullptr,
    nullptr,
};

}  // namespace

int32_t gn_plugin_query(const gn_query_in* in, gn_query_out* out) {
  return graphnet::answer_query(in, out, kName, kVersion, &kApi);
}

gn_status* gn_backend_compile(gn_backend* backend, const gn_compile_args* args,
                              gn_executable** out) {
  return wall(backend->host, GN_STATUS_COMPILE_FAILED, [&]() -> gn_status* {
    gn_graph_body body = {};
    body.struct_size = sizeof(body);
    gn_status* const status = backend->host->graph_body(backend->host->host, args->graph, &body);
    if (status != nullptr) return status;
    graphnet::tvm::Emitter emitter(backend->options.schedule == graphnet::tvm::Schedule::kRules);
    const graphnet::lowering::Lowered lowered = graphnet::lowering::lower_graph(
        body, graphnet::tvm::op_table(), emitter, emitter.add_parameters(body));
    if (!lowered.failures.empty()) {
      throw Failure(GN_STATUS_UNSUPPORTED, graphnet::lowering::describe_failures(lowered.failures));
    }
    if (args->check_only != 0) return nullptr;
    auto executable = std::make_unique<gn_executable>();
    executable->host = backend->host;
    executable->program = compile(*backend, emitter.finish(lowered.outputs));
    *out = executable.release();
    return nullptr;
  });
}

gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  return wall(executable->host, GN_STATUS_RUNTIME_FAILED, [&]() -> gn_status* {
    executable->program->run(*args);
    return nullptr;
  });
}
