// SPDX-License-Identifier: MIT
//
// NVIDIA TensorRT without its headers: graph -> layers (legalize.h, write_network.h) -> engine
// (engine.h) -> calls (executable.h). Coverage needs neither the library nor a device.
#include "graphnet/plugin.h"

#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "graphnet/dump.h"
#include "lowering/ir/build.h"
#include "lowering/ir/passes/stage.h"
#include "lowering/ir/text.h"
#include "tensorrt/described_network.h"
#include "tensorrt/executable.h"
#include "tensorrt/legalize.h"
#include "tensorrt/options.h"

namespace ir = graphnet::lowering::ir;
using graphnet::Failure;
using graphnet::guard;
using graphnet::tensorrt::EngineExecutable;
using graphnet::tensorrt::Library;

struct gn_backend {
  const gn_host_api* host = nullptr;
  graphnet::tensorrt::Options options;
  std::optional<Library> library;  // from the first compilation on
  std::string info;
};

struct gn_executable {
  const gn_host_api* host = nullptr;
  std::unique_ptr<EngineExecutable> engine;
  std::string stored;  // lent to the host
};

namespace {

gn_status* create(const gn_create_args* args, gn_backend** out) {
  return guard(args->host, [&]() -> gn_status* {
    auto backend = std::make_unique<gn_backend>();
    backend->host = args->host;
    backend->options = graphnet::tensorrt::read_options(args->options, args->num_options);
    *out = backend.release();
    return nullptr;
  });
}

void destroy(gn_backend* backend) {
  delete backend;
}

gn_status* bind(gn_executable* executable, gn_bind_args* args) {
  return guard(executable->host, [&]() -> gn_status* {
    executable->engine->bind(*args);
    return nullptr;
  });
}

void executable_destroy(gn_executable* executable) {
  delete executable;
}

gn_status* info(gn_backend* backend, gn_executable* executable, gn_info* out) {
  return guard(backend->host, [&]() -> gn_status* {
    backend->info.clear();
    if (backend->library) {
      backend->info += "library: " + backend->library->version() +
                       "\nlibrary_file: " + backend->library->file() + "\nslots_made_from: " +
                       graphnet::tensorrt::facts_of(backend->library->flavour()).made_from + "\n";
    }
    if (executable != nullptr) backend->info += executable->engine->describe();
    out->text = graphnet::to_gn(backend->info);
    return nullptr;
  });
}

/// The device first: who has none has no use for the library.
const Library& require_library(gn_backend& backend) {
  if (backend.host->device.device_type != kDLCUDA) {
    throw Failure(
        GN_STATUS_UNAVAILABLE,
        "TensorRT runs on CUDA devices: '--set device=cuda:0' names one, and the CPU is good for "
        "'graphnet inspect --coverage' only. " +
            graphnet::tensorrt::how_to_get_it());
  }
  if (!backend.library) backend.library = Library::find(backend.options.library);
  return *backend.library;
}

std::string read_if_there(const std::string& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

graphnet::tensorrt::BuildSettings settings_of(const gn_backend& backend) {
  const gn_host_api* host = backend.host;
  graphnet::tensorrt::BuildSettings settings;
  settings.allows_tf32 = graphnet::math_policy(host).allows_tf32;
  settings.strict_nans = backend.options.strict_nans;
  settings.checks_refit = backend.options.refit_check;
  settings.level = backend.options.level;
  settings.max_aux_streams = backend.options.max_aux_streams;
  settings.workspace_bytes = backend.options.workspace_bytes;
  settings.num_threads = host->num_threads;
  settings.cancelled = [host] { return host->cancelled(host->host) != 0; };
  if (!backend.options.timing_cache.empty()) {
    settings.timing_cache = read_if_there(backend.options.timing_cache);
  }
  return settings;
}

void keep_timing_cache(const gn_backend& backend, const EngineExecutable& engine) {
  const std::string& file = backend.options.timing_cache;
  if (file.empty() || engine.timing_cache().empty()) return;
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream << engine.timing_cache();
  stream.close();
  if (stream) return;
  backend.host->log(backend.host->host, GN_LOG_WARNING,
                    graphnet::to_gn("cannot write the timing cache " + file));
}

std::unique_ptr<gn_executable> compile(gn_backend& backend, ir::StagedGraph staged) {
  const Library& library = require_library(backend);
  auto executable = std::make_unique<gn_executable>();
  executable->host = backend.host;
  executable->engine = EngineExecutable::build(library, std::move(staged),
                                               backend.options.bound_weights, settings_of(backend));
  keep_timing_cache(backend, *executable->engine);
  if (graphnet::dumps(backend.host)) {
    graphnet::dump(backend.host, "engine.json", executable->engine->inspect());
  }
  return executable;
}

gn_status* serialize(gn_executable* executable, gn_string* out) {
  return guard(executable->host, [&]() -> gn_status* {
    if (executable->stored.empty()) executable->stored = executable->engine->store();
    *out = graphnet::to_gn(executable->stored);
    return nullptr;
  });
}

gn_status* deserialize(gn_backend* backend, gn_string bytes, gn_executable** out) {
  return guard(backend->host, [&]() -> gn_status* {
    const Library& library = require_library(*backend);
    auto executable = std::make_unique<gn_executable>();
    executable->host = backend->host;
    executable->engine = EngineExecutable::load(
        library, graphnet::from_gn(bytes), backend->options.bound_weights, settings_of(*backend));
    *out = executable.release();
    return nullptr;
  });
}

constexpr gn_backend_api kApi = {
    sizeof(gn_backend_api), create, destroy,   gn_backend_compile, gn_backend_run, bind,
    executable_destroy,     info,   serialize, deserialize,
};

}  // namespace

int32_t gn_plugin_query(const gn_query_in* in, gn_query_out* out) {
  return graphnet::answer_query(in, out, "tensorrt", "0.1.0", &kApi);
}

gn_status* gn_backend_compile(gn_backend* backend, const gn_compile_args* args,
                              gn_executable** out) {
  const gn_host_api* host = backend->host;
  return guard(host, [&]() -> gn_status* {
    gn_graph_body body = {};
    body.struct_size = sizeof(body);
    gn_status* const status = host->graph_body(host->host, args->graph, &body);
    if (status != nullptr) return status;
    const auto require = [](const std::vector<graphnet::lowering::Failure>& failures) {
      if (failures.empty()) return;
      throw Failure(GN_STATUS_UNSUPPORTED, graphnet::lowering::describe_failures(failures));
    };
    ir::Built built = ir::build(body, /*rewrites=*/false);
    require(built.failures);
    built = graphnet::tensorrt::legalize(built.graph);
    require(built.failures);
    ir::StagedGraph staged = ir::split_by_stage(std::move(built.graph));
    // A check has no library to ask, and must say what compile says (rule P2): both ask this first.
    graphnet::tensorrt::DescribedNetwork described(
        graphnet::tensorrt::DescribedNetwork::Constants::kLeftOut);
    require(graphnet::tensorrt::write_network(staged.call, described).failures);
    if (args->check_only != 0) return nullptr;
    if (graphnet::dumps(host)) graphnet::dump(host, "lowered.ir", ir::to_text(staged.call));
    *out = compile(*backend, std::move(staged)).release();
    return nullptr;
  });
}

gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  return guard(executable->host, [&]() -> gn_status* {
    executable->engine->run(*args);
    return nullptr;
  });
}
