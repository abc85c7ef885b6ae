// SPDX-License-Identifier: MIT
//
// A plugin whose work is a kernel of the made-up driver (fake_cuda.cc): the one graph of mlp.h, on
// the stream of the call. Its option `mode` says what it does instead while it is captured, or
// always; see captured_calls_test.cc.
#include <dlfcn.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "support/fake_cuda.h"
#include "support/mlp.h"

using graphnet::fail;
using graphnet::tests::FakeKernel;
using graphnet::tests::Mlp;

namespace {

/// What is asked of the made-up driver.
struct Driver {
  int (*find_function)(void** function, void* module, const char* name) = nullptr;
  int (*launch)(void* function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                unsigned, void* stream, void** arguments, void** extra) = nullptr;
  int (*synchronize)() = nullptr;
  void* kernel = nullptr;
  int code = 0;  ///< of finding it

  Driver() {
    void* const library = ::dlopen(GRAPHNET_FAKE_CUDA "/ready.so", RTLD_NOW);
    find_function = find<decltype(find_function)>(library, "cuModuleGetFunction");
    launch = find<decltype(launch)>(library, "cuLaunchKernel");
    synchronize = find<decltype(synchronize)>(library, "cuCtxSynchronize");
    code = find_function(&kernel, nullptr, "graphnet_call");
  }

  template <typename Function>
  static Function find(void* library, const char* name) {
    return reinterpret_cast<Function>(::dlsym(library, name));
  }
};

int num_runs = 0;

}  // namespace

struct gn_backend {
  const gn_host_api* host = nullptr;
  std::string mode;
  Driver driver;
};

struct gn_executable : Mlp {
  gn_backend* backend = nullptr;
  const float* input = nullptr;
  float* output = nullptr;
  std::vector<float> first_results;

  void work() {
    compute(input, output);
    if (first_results.empty()) first_results.assign(output, output + output_count());
  }
};

namespace {

void compute_all(void* executable) {
  static_cast<gn_executable*>(executable)->work();
}

void give_first_results(void* executable) {
  const auto* const all = static_cast<gn_executable*>(executable);
  std::copy(all->first_results.begin(), all->first_results.end(), all->output);
}

gn_status* launch(gn_executable& executable, FakeKernel function, void* stream) {
  const gn_backend& backend = *executable.backend;
  void* data = &executable;
  void* arguments[] = {&function, &data};
  const int code =
      backend.driver.launch(backend.driver.kernel, 1, 1, 1, 1, 1, 1, 0, stream, arguments, nullptr);
  if (code == 0) return nullptr;
  return fail(backend.host, GN_STATUS_INTERNAL,
              "cuLaunchKernel: CUDA error " + std::to_string(code));
}

gn_status* create(const gn_create_args* args, gn_backend** out) {
  auto backend = std::make_unique<gn_backend>();
  backend->host = args->host;
  for (std::uint64_t i = 0; i < args->num_options; ++i) {
    const gn_option& option = args->options[i];
    if (std::string(option.name.data, option.name.size) != "mode") continue;
    backend->mode.assign(option.text.data, option.text.size);
  }
  if (backend->driver.code != 0) {
    return fail(args->host, GN_STATUS_UNAVAILABLE,
                "cuModuleGetFunction: CUDA error " + std::to_string(backend->driver.code));
  }
  *out = backend.release();
  return nullptr;
}

void destroy(gn_backend* backend) {
  delete backend;
}

gn_status* bind(gn_executable* executable, gn_bind_args* args) {
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

extern "C" GN_EXPORT int launching_plugin_runs() {
  return num_runs;
}

std::int32_t gn_plugin_query(const gn_query_in* in, gn_query_out* out) {
  return graphnet::answer_query(in, out, "launching", "0.1.0", &kApi);
}

gn_status* gn_backend_compile(gn_backend* backend, const gn_compile_args* args,
                              gn_executable** out) {
  auto executable = std::make_unique<gn_executable>();
  executable->backend = backend;
  if (gn_status* status = executable->read(backend->host, args->graph)) return status;
  *out = executable.release();
  return nullptr;
}

gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  using graphnet::tests::data_of;
  ++num_runs;
  const gn_backend& backend = *executable->backend;
  const bool is_captured = args->stream != nullptr;
  const float* const input = data_of(*args->inputs[0]);
  const bool is_moved = executable->input != nullptr && executable->input != input;
  if (is_moved && args->rebind == 0) {
    return fail(backend.host, GN_STATUS_INTERNAL, "the input moved though rebind is 0");
  }
  executable->input = input;
  executable->output = const_cast<float*>(data_of(*args->outputs[0]));
  if (!is_captured) return launch(*executable, compute_all, nullptr);
  if (args->rebind != 0) return fail(backend.host, GN_STATUS_INTERNAL, "rebind while captured");
  if (backend.mode == "waits") backend.driver.synchronize();
  if (backend.mode == "empty") return nullptr;
  if (backend.mode == "elsewhere") return launch(*executable, compute_all, nullptr);
  if (backend.mode == "refuses") return fail(backend.host, GN_STATUS_UNSUPPORTED, "not today");
  if (backend.mode == "stale") return launch(*executable, give_first_results, args->stream);
  return launch(*executable, compute_all, args->stream);
}
