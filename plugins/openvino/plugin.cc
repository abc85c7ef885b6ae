// SPDX-License-Identifier: MIT
//
// OpenVINO's CPU engine. The graph in normal form becomes TorchScript for OpenVINO's own frontend.
#include "graphnet/plugin.h"

#include <memory>
#include <openvino/core/version.hpp>
#include <openvino/runtime/core.hpp>
#include <openvino/runtime/intel_cpu/properties.hpp>
#include <openvino/runtime/properties.hpp>
#include <string>

#include "graphnet/dump.h"
#include "program.h"
#include "reason.h"
#include "refusal.h"

using graphnet::Failure;
using graphnet::guard;
using graphnet::openvino::plain_reason;
using graphnet::openvino::Program;

struct gn_backend {
  const gn_host_api* host = nullptr;
  ov::Core core;
  ov::AnyMap settings;
  std::string info;
};

struct gn_executable {
  const gn_host_api* host = nullptr;
  std::unique_ptr<Program> program;
};

namespace {

// float32 stays float32: by default products are of bfloat16 where the processor has it.
ov::AnyMap settings_of(const gn_host_api& host) {
  return {ov::hint::inference_precision(ov::element::f32),
          ov::hint::execution_mode(ov::hint::ExecutionMode::ACCURACY),
          ov::hint::enable_cpu_pinning(false),
          ov::num_streams(1),
          ov::inference_num_threads(host.num_threads),
          ov::intel_cpu::denormals_optimization((host.math_policy & GN_MATH_FLUSH_DENORMALS) != 0)};
}

gn_status* create(const gn_create_args* args, gn_backend** out) {
  return guard(args->host, [&]() -> gn_status* {
    auto backend = std::make_unique<gn_backend>();
    backend->host = args->host;
    backend->settings = settings_of(*args->host);
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

gn_status* info(gn_backend* backend, gn_executable* executable, gn_info* out) {
  return guard(backend->host, [&]() -> gn_status* {
    backend->info =
        std::string("library: OpenVINO ") + ov::get_openvino_version().buildNumber + "\n";
    if (executable != nullptr) backend->info += executable->program->describe();
    out->text = graphnet::to_gn(backend->info);
    return nullptr;
  });
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
  return graphnet::answer_query(in, out, "openvino", "0.1.0", &kApi);
}

gn_status* gn_backend_compile(gn_backend* backend, const gn_compile_args* args,
                              gn_executable** out) {
  const gn_host_api* host = backend->host;
  return guard(host, [&]() -> gn_status* {
    gn_graph_body body = {};
    body.struct_size = sizeof(body);
    gn_status* const status = host->graph_body(host->host, args->graph, &body);
    if (status != nullptr) return status;
    const auto refusals = graphnet::openvino::refusals_of(body);
    if (!refusals.empty()) {
      throw Failure(GN_STATUS_UNSUPPORTED, graphnet::openvino::describe(refusals));
    }
    auto translated = graphnet::openvino::translate(body);
    if (args->check_only != 0) return nullptr;
    if (graphnet::dumps(host) && translated.model) {
      graphnet::dump(host, "lowered.ir", graphnet::openvino::text_of(*translated.model));
    }
    auto executable = std::make_unique<gn_executable>();
    executable->host = host;
    try {
      executable->program =
          std::make_unique<Program>(backend->core, std::move(translated), backend->settings);
    } catch (const ov::Exception& error) {
      throw Failure(GN_STATUS_COMPILE_FAILED, plain_reason(error.what()));
    }
    *out = executable.release();
    return nullptr;
  });
}

gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  return guard(executable->host, [&]() -> gn_status* {
    try {
      executable->program->run(*args);
    } catch (const ov::Exception& error) {
      throw Failure(GN_STATUS_RUNTIME_FAILED, plain_reason(error.what()));
    }
    return nullptr;
  });
}
