// SPDX-License-Identifier: MIT
//
// The entry points of the test plugins that compile the one graph of mlp.h. The build gives each
// its name as MLP_PLUGIN_NAME, and as MLP_PLUGIN_FROM_BIND after how many binds it begins with what
// it is there for; before, it computes.
#include "support/mlp_plugin.h"

#ifndef MLP_PLUGIN_FROM_BIND
#define MLP_PLUGIN_FROM_BIND 0
#endif

struct gn_backend {
  const gn_host_api* host = nullptr;
};

namespace {

gn_status* create(const gn_create_args* args, gn_backend** out) {
  *out = new gn_backend{args->host};
  return nullptr;
}

void destroy(gn_backend* backend) {
  delete backend;
}

gn_status* bind(gn_executable* executable, gn_bind_args* args) {
  ++executable->num_binds;
  executable->bind(*args);
  return nullptr;
}

void executable_destroy(gn_executable* executable) {
  delete executable;
}

constexpr gn_backend_api kApi = {
    sizeof(gn_backend_api),
    create,
    destroy,
    gn_backend_compile,
    gn_backend_run,
    bind,
    executable_destroy,
    nullptr,
    nullptr,
    nullptr,
};

}  // namespace

std::int32_t gn_plugin_query(const gn_query_in* in, gn_query_out* out) {
  return graphnet::answer_query(in, out, MLP_PLUGIN_NAME, "0.1.0", &kApi);
}

gn_status* gn_backend_compile(gn_backend* backend, const gn_compile_args* args,
                              gn_executable** out) {
  auto executable = graphnet::tests::make_executable();
  if (gn_status* status = executable->read(backend->host, args->graph)) return status;
  if (args->check_only != 0) return nullptr;
  executable->prepare();
  *out = executable.release();
  return nullptr;
}

gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  if (executable->num_binds < MLP_PLUGIN_FROM_BIND) {
    executable->compute(gn_executable::input_of(*args), gn_executable::output_of(*args));
  } else {
    executable->run(*args);
  }
  return nullptr;
}
