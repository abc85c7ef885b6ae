// SPDX-License-Identifier: MIT
//
// PyTorch's Inductor: graph -> Python module (module_text.h) -> torch.export and AOTInductor in a
// Python process (compiler.h) -> library (package.h) -> calls without Python (model.h).
#include "graphnet/plugin.h"

#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "compiler.h"
#include "graphnet/dump.h"
#include "model.h"
#include "module_text.h"
#include "options.h"
#include "package.h"
#include "shim.h"

using graphnet::Failure;
using graphnet::from_gn;
using graphnet::guard;
using graphnet::to_gn;
using graphnet::inductor::Model;
using graphnet::inductor::Package;

struct gn_backend {
  const gn_host_api* host = nullptr;
  graphnet::inductor::Options options;
  std::string info;
};

struct gn_executable {
  const gn_backend* backend = nullptr;
  const gn_host_api* host = nullptr;
  std::unique_ptr<Model> model;
  std::string cache;  ///< whether the compiler's cache was warm; empty: nothing was compiled
  std::string info;
  std::string stored;
};

namespace {

gn_status* create(const gn_create_args* args, gn_backend** out) {
  return guard(args->host, [&]() -> gn_status* {
    auto backend = std::make_unique<gn_backend>();
    backend->host = args->host;
    backend->options =
        graphnet::inductor::read_options(args->options, args->num_options, args->host->num_threads);
    graphnet::inductor::shim();
    *out = backend.release();
    return nullptr;
  });
}

void destroy(gn_backend* backend) {
  delete backend;
}

gn_status* bind(gn_executable* executable, gn_bind_args* args) {
  return guard(executable->host, [&]() -> gn_status* {
    executable->model->bind(*args);
    return nullptr;
  });
}

void executable_destroy(gn_executable* executable) {
  delete executable;
}

std::string percent(double share) {
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "%.2f %%", share * 100);
  return text.data();
}

gn_status* info(gn_backend* backend, gn_executable* executable, gn_info* out) {
  return guard(backend->host, [&]() -> gn_status* {
    std::string& text = executable == nullptr ? backend->info : executable->info;
    text = "compiler: AOTInductor of torch " GN_INDUCTOR_TORCH "\n";
    if (executable != nullptr) {
      text += executable->model->package().times;
      if (!executable->cache.empty()) text += "compiler_cache: " + executable->cache + "\n";
      const Model& model = *executable->model;
      if (model.package().is_frozen) {
        text += "frozen_constants: " + std::to_string(model.num_frozen()) + "\n";
      }
      const double share = model.copy_share();
      if (share >= 0) text += "output_copy: " + percent(share) + " of a call\n";
    }
    out->text = to_gn(text);
    return nullptr;
  });
}

gn_status* serialize(gn_executable* executable, gn_string* out) {
  return guard(executable->host, [&]() -> gn_status* {
    if (executable->stored.empty()) {
      executable->stored =
          graphnet::inductor::store(executable->model->package(),
                                    graphnet::inductor::maker_text(executable->backend->options));
    }
    *out = to_gn(executable->stored);
    return nullptr;
  });
}

gn_executable* wrap(const gn_backend& backend, Package package) {
  auto executable = std::make_unique<gn_executable>();
  executable->backend = &backend;
  executable->host = backend.host;
  executable->model = std::make_unique<Model>(std::move(package));
  return executable.release();
}

gn_status* deserialize(gn_backend* backend, gn_string bytes, gn_executable** out) {
  return guard(backend->host, [&]() -> gn_status* {
    *out = wrap(*backend, graphnet::inductor::load(
                              from_gn(bytes), graphnet::inductor::maker_text(backend->options)));
    return nullptr;
  });
}

constexpr gn_backend_api kApi = {
    sizeof(gn_backend_api), create, destroy,   gn_backend_compile, gn_backend_run, bind,
    executable_destroy,     info,   serialize, deserialize,
};

}  // namespace

int32_t gn_plugin_query(const gn_query_in* in, gn_query_out* out) {
  return graphnet::answer_query(in, out, "inductor", "0.1.0", &kApi);
}

gn_status* gn_backend_compile(gn_backend* backend, const gn_compile_args* args,
                              gn_executable** out) {
  const gn_host_api* host = backend->host;
  return guard(host, [&]() -> gn_status* {
    gn_graph_body body = {};
    body.struct_size = sizeof(body);
    gn_status* status = host->graph_body(host->host, args->graph, &body);
    if (status != nullptr) return status;
    gn_graph_signature signature = {};
    signature.struct_size = sizeof(signature);
    status = host->graph_signature(host->host, args->graph, &signature);
    if (status != nullptr) return status;
    auto module =
        graphnet::inductor::module_text(body, std::string(from_gn(signature.sample)),
                                        /*weights_are_arguments=*/backend->options.max_autotune);
    if (graphnet::dumps(host)) graphnet::dump(host, "module.py", module.source);
    const bool check_only = args->check_only != 0;
    const bool is_warm = graphnet::inductor::has_warm_cache();
    auto compiled = graphnet::inductor::compile(
        module, backend->options, check_only, [host] { return host->cancelled(host->host) != 0; });
    if (check_only) return nullptr;
    const bool is_frozen = graphnet::inductor::is_frozen(module, backend->options);
    *out = wrap(*backend, graphnet::inductor::make_package(body, std::move(module),
                                                           std::move(compiled), is_frozen));
    (*out)->cache = is_warm ? "warm" : "cold";
    return nullptr;
  });
}

gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  return guard(executable->host, [&]() -> gn_status* {
    executable->model->run(*args);
    return nullptr;
  });
}
