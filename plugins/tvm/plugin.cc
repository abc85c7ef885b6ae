// SPDX-License-Identifier: MIT
//
// Apache TVM driven from C++: graph -> primitives (legalize.h) -> kernels (fusion.h) -> TE
// functions (kernel.h) with loops arranged by rule (schedule.h) -> LLVM -> calls
// (program_executable.h).
#include "graphnet/plugin.h"

#include <memory>
#include <string>
#include <utility>

#include "graphnet/dump.h"
#include "graphnet/failure.h"
#include "graphnet/graph_view.h"
#include "graphnet/own_heap.h"
#include "lowering/ir/build.h"
#include "lowering/ir/text.h"
#include "tvm_plugin/extern_functions.h"
#include "tvm_plugin/ffi_symbols.h"
#include "tvm_plugin/kernel_profile.h"
#include "tvm_plugin/legalize.h"
#include "tvm_plugin/options.h"
#include "tvm_plugin/paired_product.h"
#include "tvm_plugin/program_compiler.h"
#include "tvm_plugin/tvm_library.h"
#include "tvm_plugin/vector_math.h"

struct gn_backend {
  const gn_host_api* host = nullptr;
  std::unique_ptr<graphnet::tvm::ProgramCompiler> compiler;
  std::string warning;
  std::string info;
};

struct gn_executable {
  const gn_host_api* host = nullptr;
  const graphnet::tvm::ProgramCompiler* compiler = nullptr;
  graphnet::tvm::CompiledProgram program;
  std::string info;
  std::string stored;
};

namespace {

using graphnet::Failure;
using graphnet::from_gn;
using graphnet::to_gn;
namespace ir = graphnet::lowering::ir;
using graphnet::tvm::CompiledProgram;
using graphnet::tvm::Options;
using graphnet::tvm::ProgramCompiler;
using graphnet::tvm::Schedule;
using graphnet::tvm::Target;

constexpr const char* kName = "tvm";
constexpr const char* kVersion = "0.1.0";

/// The wall of every entry point: TVM's failures get the phase's code.
template <typename Body>
gn_status* wall(const gn_host_api* host, std::uint32_t code, Body body) noexcept {
  return graphnet::guard(host, [&]() -> gn_status* {
    try {
      return body();
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
    Options options = graphnet::tvm::read_options(args->options, args->num_options);
    backend->warning = graphnet::tvm::TvmLibrary::open(host->num_threads, options.allow_other_tvm);
    if (!backend->warning.empty()) host->log(host->host, GN_LOG_WARNING, to_gn(backend->warning));
    graphnet::tvm::register_extern_functions();
    graphnet::tvm::register_vector_math(options.math);
    Target target = graphnet::tvm::make_target(options.mcpu, host->num_threads);
    backend->compiler = std::make_unique<ProgramCompiler>(
        std::move(options), std::move(target),
        [host](const std::string& text) { host->log(host->host, GN_LOG_WARNING, to_gn(text)); },
        [host] { return host->cancelled(host->host) != 0; });
    *out = backend.release();
    return nullptr;
  });
}

void destroy(gn_backend* backend) {
  delete backend;
}

gn_status* bind(gn_executable* executable, gn_bind_args* args) {
  return wall(executable->host, GN_STATUS_RUNTIME_FAILED, [&]() -> gn_status* {
    executable->program.executable->bind(*args);
    return nullptr;
  });
}

void executable_destroy(gn_executable* executable) {
  delete executable;
}

std::string describe_backend(const gn_backend& backend) {
  std::string text = "threads: " + std::to_string(backend.host->num_threads) + "\n";
  if (!backend.warning.empty()) text += "warning: " + backend.warning + "\n";
  return text + "packages: " + graphnet::tvm::pinned_packages() +
         "\nfolder: " + graphnet::tvm::tvm_folder() +
         "\ntvm_ffi: " + graphnet::tvm::TvmLibrary::ffi_version() +
         "\nmcpu: " + backend.compiler->target().mcpu +
         "\nmath: " + graphnet::tvm::describe(backend.compiler->options().math) + "\n";
}

std::string describe_program(const CompiledProgram& program) {
  const graphnet::tvm::CallPlan& plan = program.executable->plan();
  std::string rules;
  for (const auto& [rule, count] : plan.kernels_by_rule) {
    rules += (rules.empty() ? "" : " ") + rule + "=" + std::to_string(count);
  }
  std::string text = "main_kernels: " + std::to_string(plan.main.size()) +
                     "\nbind_kernels: " + std::to_string(plan.bind.size()) + "\n";
  if (!program.tuning.empty()) text += "tuning: " + program.tuning + "\n";
  if (!rules.empty()) text += "distinct_kernels_by_rule: " + rules + "\n";
  return text +
         graphnet::tvm::describe_profile(plan, program.executable->call_times(), program.notes);
}

gn_status* info(gn_backend* backend, gn_executable* executable, gn_info* out) {
  return wall(backend->host, GN_STATUS_INTERNAL, [&]() -> gn_status* {
    std::string& text = executable == nullptr ? backend->info : executable->info;
    text = describe_backend(*backend);
    if (executable != nullptr) text += describe_program(executable->program);
    out->text = to_gn(text);
    return nullptr;
  });
}

gn_status* serialize(gn_executable* executable, gn_string* out) {
  return wall(executable->host, GN_STATUS_UNAVAILABLE, [&]() -> gn_status* {
    if (executable->stored.empty()) {
      executable->stored = executable->compiler->store(*executable->program.executable);
    }
    *out = to_gn(executable->stored);
    return nullptr;
  });
}

std::unique_ptr<gn_executable> make_executable(const gn_backend& backend) {
  auto executable = std::make_unique<gn_executable>();
  executable->host = backend.host;
  executable->compiler = backend.compiler.get();
  return executable;
}

gn_status* deserialize(gn_backend* backend, gn_string bytes, gn_executable** out) {
  return wall(backend->host, GN_STATUS_INVALID_ARGUMENT, [&]() -> gn_status* {
    auto executable = make_executable(*backend);
    executable->program.executable = backend->compiler->load(from_gn(bytes));
    executable->stored = from_gn(bytes);
    *out = executable.release();
    return nullptr;
  });
}

void refuse(const std::vector<graphnet::lowering::Failure>& failures) {
  if (failures.empty()) return;
  throw Failure(GN_STATUS_UNSUPPORTED, graphnet::lowering::describe_failures(failures));
}

/// A graph in primitives, with the CPU's layouts or as it is (`schedule: none`).
///
/// errors   Failure UNSUPPORTED, with every node that cannot be
ir::Graph lower(const gn_host_api* host, const gn_graph_body& body,
                const ProgramCompiler& compiler) {
  const Options& options = compiler.options();
  const bool has_layouts = options.schedule != Schedule::kNone;
  const ir::Built built = ir::build(body, has_layouts);
  refuse(built.failures);
  ir::Built legalized = graphnet::tvm::legalize(
      built.graph, has_layouts,
      {compiler.target().unit, options.convolution == graphnet::tvm::Convolution::kWinograd,
       options.attention == graphnet::tvm::AttentionForm::kFused,
       options.bfloat16 == graphnet::tvm::Bfloat16::kNative &&
           (graphnet::tvm::has_matrix_unit() || graphnet::tvm::has_paired_vectors())});
  refuse(legalized.failures);
  if (graphnet::dumps(host)) graphnet::dump(host, "lowered.ir", ir::to_text(legalized.graph));
  return std::move(legalized.graph);
}

constexpr gn_backend_api kApi = {
    sizeof(gn_backend_api), create, destroy,   gn_backend_compile, gn_backend_run, bind,
    executable_destroy,     info,   serialize, deserialize,
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
    const ir::Graph graph = lower(backend->host, body, *backend->compiler);
    if (args->check_only != 0) return nullptr;
    auto executable = make_executable(*backend);
    graphnet::on_own_heap([&] { executable->program = backend->compiler->compile(graph); });
    *out = executable.release();
    return nullptr;
  });
}

gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  return wall(executable->host, GN_STATUS_RUNTIME_FAILED, [&]() -> gn_status* {
    executable->program.executable->run(*args);
    return nullptr;
  });
}
