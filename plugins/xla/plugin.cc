// SPDX-License-Identifier: MIT
//
// XLA's compilers for the CPU and CUDA through the PJRT C API: graph -> StableHLO text (lower.h) ->
// executable (program_executable.h) -> calls.
#include "graphnet/plugin.h"

#include <memory>
#include <string>
#include <utility>

#include "xla/cuda_tools.h"
#include "xla/lower.h"
#include "xla/options.h"
#include "xla/program_executable.h"
#include "xla/program_report.h"
#include "xla/stored_program.h"

struct gn_backend {
  const gn_host_api* host = nullptr;
  graphnet::xla::Options options;
  std::shared_ptr<const graphnet::xla::PjrtClient> client;
  std::string info;
};

struct gn_executable {
  const gn_host_api* host = nullptr;
  std::unique_ptr<graphnet::xla::ProgramExecutable> program;
  std::string info;
  std::string stored;
};

namespace {

using graphnet::Failure;
using graphnet::from_gn;
using graphnet::guard;
using graphnet::to_gn;
using graphnet::xla::Options;
using graphnet::xla::PjrtClient;
using graphnet::xla::PjrtLibrary;
using graphnet::xla::ProgramExecutable;

constexpr const char* kName = "xla";
constexpr const char* kVersion = "0.1.0";

std::shared_ptr<const PjrtClient> make_client(const gn_host_api* host, const Options& options) {
  const std::string flags = graphnet::xla::set_xla_environment(host->num_threads, options.is_gpu);
  if (!flags.empty()) {
    host->log(host->host, GN_LOG_WARNING,
              to_gn("XLA_FLAGS is ignored, option 'overrides' sets compile options: " + flags));
  }
  return std::make_shared<const PjrtClient>(PjrtLibrary::open(options.pjrt), host->device);
}

gn_status* create(const gn_create_args* args, gn_backend** out) {
  const gn_host_api* host = args->host;
  return guard(host, [&]() -> gn_status* {
    const bool is_gpu = host->device.device_type == kDLCUDA;
    if (!is_gpu && host->device.device_type != kDLCPU) {
      throw Failure(GN_STATUS_UNAVAILABLE, "plugin xla runs on the CPU and on CUDA devices only");
    }
    auto backend = std::make_unique<gn_backend>();
    backend->host = host;
    backend->options = graphnet::xla::read_options(args->options, args->num_options, is_gpu,
                                                   graphnet::math_policy(host));
    if (is_gpu) {
      graphnet::xla::add_cuda_root(backend->options,
                                   graphnet::xla::find_cuda_root(backend->options.pjrt));
    }
    backend->client = make_client(host, backend->options);
    *out = backend.release();
    return nullptr;
  });
}

void destroy(gn_backend* backend) {
  delete backend;
}

gn_status* bind(gn_executable* executable, gn_bind_args* args) {
  return guard(executable->host, [&]() -> gn_status* {
    executable->program->bind(*args);
    return nullptr;
  });
}

void executable_destroy(gn_executable* executable) {
  delete executable;
}

std::string describe_backend(const gn_backend& backend) {
  std::string text = "threads: " + std::to_string(backend.host->num_threads) + "\n";
  if (backend.options.pjrt == graphnet::xla::pinned_pjrt_file()) {
    text += "pjrt_package: " + graphnet::xla::pinned_pjrt_package() + " (unofficial build)\n";
  }
  return text + graphnet::xla::report_client(*backend.client);
}

gn_status* info(gn_backend* backend, gn_executable* executable, gn_info* out) {
  return guard(backend->host, [&]() -> gn_status* {
    std::string& text = executable == nullptr ? backend->info : executable->info;
    text = describe_backend(*backend);
    if (executable != nullptr) text += graphnet::xla::report_program(*executable->program);
    out->text = to_gn(text);
    return nullptr;
  });
}

gn_status* serialize(gn_executable* executable, gn_string* out) {
  return guard(executable->host, [&]() -> gn_status* {
    if (executable->stored.empty()) {
      executable->stored = graphnet::xla::store_program(*executable->program);
    }
    *out = to_gn(executable->stored);
    return nullptr;
  });
}

gn_executable* wrap(const gn_backend& backend, std::unique_ptr<ProgramExecutable> program) {
  auto executable = std::make_unique<gn_executable>();
  executable->host = backend.host;
  executable->program = std::move(program);
  return executable.release();
}

gn_status* deserialize(gn_backend* backend, gn_string bytes, gn_executable** out) {
  return guard(backend->host, [&]() -> gn_status* {
    *out = wrap(*backend, graphnet::xla::load_program(backend->client, from_gn(bytes)));
    return nullptr;
  });
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
  return guard(backend->host, [&]() -> gn_status* {
    graphnet::lowering::stablehlo::LoweredProgram program;
    const bool check_only = args->check_only != 0;
    gn_status* status = graphnet::xla::lower_graph(backend->host, args->graph, backend->options,
                                                   check_only, program);
    if (status != nullptr || check_only) return status;
    *out = wrap(*backend, ProgramExecutable::compile(backend->client, std::move(program),
                                                     backend->options.overrides));
    return nullptr;
  });
}

gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  return guard(executable->host, [&]() -> gn_status* {
    executable->program->run(*args);
    return nullptr;
  });
}
