// SPDX-License-Identifier: MIT
//
// A compiler over the lowered graph, from the first line to the last: it writes C, has the system's
// compiler make a library of it, and calls that. ../README.md walks through it.
#include "graphnet/plugin.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "graphnet/failure.h"
#include "lowering/ir/build.h"
#include "lowering/tutorial/c_source.h"

namespace fs = std::filesystem;
using graphnet::fail;
using graphnet::Failure;
using graphnet::guard;

using Run = void (*)(const void* const* inputs, const void* const* weights,
                     const void* const* constants, void* const* outputs, char* memory);

struct gn_backend {
  const gn_host_api* host = nullptr;
};

struct gn_executable {
  const gn_host_api* host = nullptr;
  std::unique_ptr<void, int (*)(void*)> library = {nullptr, dlclose};
  Run run = nullptr;
  std::vector<std::string> constants;
  std::vector<std::string> weights;  // copies: the caller's memory is its own again after bind
  std::vector<char> memory;
};

namespace {

/// Writes the source to a folder of its own, which is gone when the library is loaded.
void load(const std::string& text, gn_executable& executable) {
  std::string name = (fs::temp_directory_path() / "tutorial_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw Failure(GN_STATUS_COMPILE_FAILED, "no folder for C");
  const fs::path folder = name;
  std::ofstream(folder / "graph.c") << text;
  const std::string command = "cc -O2 -fwrapv -shared -fPIC -o '" + name + "/graph.so' '" + name +
                              "/graph.c' -lm 2> '" + name + "/errors'";
  const bool is_compiled = std::system(command.c_str()) == 0;
  if (is_compiled) executable.library.reset(dlopen((folder / "graph.so").c_str(), RTLD_NOW));
  fs::remove_all(folder);
  if (!executable.library) throw Failure(GN_STATUS_COMPILE_FAILED, "cc did not compile the graph");
  executable.run = reinterpret_cast<Run>(dlsym(executable.library.get(), "run"));
}

gn_status* create(const gn_create_args* args, gn_backend** out) {
  *out = new gn_backend{args->host};
  return nullptr;
}

void destroy(gn_backend* backend) {
  delete backend;
}

char* data_of(const DLTensor& tensor) {
  return static_cast<char*>(tensor.data) + tensor.byte_offset;
}

gn_status* bind(gn_executable* executable, gn_bind_args* args) {
  return guard(executable->host, [&]() -> gn_status* {
    executable->weights.clear();
    for (std::uint64_t i = 0; i < args->num_weights; ++i) {
      const DLTensor& tensor = *args->weights[i];
      std::size_t bytes = (tensor.dtype.bits * tensor.dtype.lanes + 7) / 8;
      for (int d = 0; d < tensor.ndim; ++d) bytes *= static_cast<std::size_t>(tensor.shape[d]);
      executable->weights.emplace_back(data_of(tensor), bytes);
    }
    args->copied = 1;
    return nullptr;
  });
}

void executable_destroy(gn_executable* executable) {
  delete executable;
}

std::vector<const void*> pointers_to(const std::vector<std::string>& buffers) {
  std::vector<const void*> pointers;
  for (const std::string& each : buffers) pointers.push_back(each.data());
  return pointers;
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

int32_t gn_plugin_query(const gn_query_in* in, gn_query_out* out) {
  return graphnet::answer_query(in, out, "tutorial", "0.1.0", &kApi);
}

gn_status* gn_backend_compile(gn_backend* backend, const gn_compile_args* args,
                              gn_executable** out) {
  const gn_host_api* host = backend->host;
  return guard(host, [&]() -> gn_status* {
    gn_graph_body body = {};
    body.struct_size = sizeof(body);
    gn_status* const status = host->graph_body(host->host, args->graph, &body);
    if (status != nullptr) return status;
    const auto refuse = [host](const std::vector<graphnet::lowering::Failure>& failures) {
      return fail(host, GN_STATUS_UNSUPPORTED, graphnet::lowering::describe_failures(failures));
    };
    const auto built = graphnet::lowering::ir::build(body, /*rewrites=*/false);
    if (!built.failures.empty()) return refuse(built.failures);
    const auto legalized = graphnet::tutorial::legalize(built.graph);
    if (!legalized.failures.empty()) return refuse(legalized.failures);
    graphnet::tutorial::CSource source = graphnet::tutorial::write_c(legalized.graph);
    if (!source.failures.empty()) return refuse(source.failures);
    if (args->check_only != 0) return nullptr;
    auto executable = std::make_unique<gn_executable>();
    executable->host = host;
    load(source.text, *executable);
    executable->constants = std::move(source.constants);
    executable->memory.resize(source.memory_bytes);
    *out = executable.release();
    return nullptr;
  });
}

gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  return guard(executable->host, [&]() -> gn_status* {
    std::vector<const void*> inputs;
    for (std::uint64_t i = 0; i < args->num_inputs; ++i)
      inputs.push_back(data_of(*args->inputs[i]));
    std::vector<void*> outputs;
    for (std::uint64_t i = 0; i < args->num_outputs; ++i) {
      outputs.push_back(data_of(*args->outputs[i]));
    }
    executable->run(inputs.data(), pointers_to(executable->weights).data(),
                    pointers_to(executable->constants).data(), outputs.data(),
                    executable->memory.data());
    return nullptr;
  });
}
