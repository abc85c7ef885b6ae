// SPDX-License-Identifier: MIT
//
// nope compiles nothing: it hands the program to the host's eager engine and runs it there. It is
// the A/A control (its speedup must be 1 within the noise), the skeleton to clone for a new plugin,
// and proof that a whole plugin is small.
#include "graphnet/plugin.h"

#include <memory>
#include <string>

// The two handles of the ABI, defined by the plugin. Whatever create and compile find out lives
// here.
struct gn_backend {
  const gn_host_api* host = nullptr;
};

struct gn_executable {
  const gn_host_api* host = nullptr;
  gn_eager_executable* program = nullptr;  // owned by the host
};

namespace {

constexpr const char* kName = "nope";
constexpr const char* kVersion = "0.1.0";

gn_status* create(const gn_create_args* args, gn_backend** out) {
  const gn_host_api* host = args->host;
  return graphnet::guard(host, [&]() -> gn_status* {
    if (args->num_options != 0) {
      return graphnet::fail(host, GN_STATUS_INVALID_ARGUMENT, "nope has no options");
    }
    auto backend = std::make_unique<gn_backend>();
    backend->host = host;
    *out = backend.release();
    return nullptr;
  });
}

void destroy(gn_backend* backend) {
  delete backend;
}

// Weights stay with the host, whose engine reads them: nothing is copied, nothing is kept.
gn_status* bind(gn_executable*, gn_bind_args* args) {
  args->copied = 0;
  args->kept_bytes = 0;
  return nullptr;
}

void executable_destroy(gn_executable* executable) {
  delete executable;
}

gn_status* info(gn_backend*, gn_executable*, gn_info* out) {
  out->text = graphnet::to_gn("runs: the host's eager engine");
  return nullptr;
}

// Slots in the order of gn_backend_api; no artefact to serialise.
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
  const gn_host_api* host = backend->host;
  return graphnet::guard(host, [&]() -> gn_status* {
    // Whatever the eager engine can run is supported, and the host has run it already.
    if (args->check_only != 0) return nullptr;
    auto executable = std::make_unique<gn_executable>();
    executable->host = host;
    gn_status* status = host->eager_compile(host->host, args->graph, &executable->program);
    if (status == nullptr) *out = executable.release();
    return status;
  });
}

gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  return executable->host->eager_run(executable->host->host, executable->program, args);
}
