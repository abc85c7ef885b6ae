// SPDX-License-Identifier: MIT
//
// BladeDISC: graph -> MHLO text (lower.h) -> disc_compiler_main, a program of a BladeDISC
// environment (compiler.h) -> library (package.h) -> calls of it by gn-disc-run, another program of
// that environment (executable.h). Nothing of BladeDISC is loaded into this process, and coverage
// needs none of it.
#include "graphnet/plugin.h"

#include <memory>
#include <string>
#include <utility>

#include "artifact/file_digest.h"
#include "bladedisc/executable.h"
#include "bladedisc/lower.h"
#include "bladedisc/options.h"
#include "bladedisc/program_log.h"
#include "graphnet/dump.h"

using graphnet::Failure;
using graphnet::guard;
using graphnet::bladedisc::DiscExecutable;

struct gn_backend {
  const gn_host_api* host = nullptr;
  graphnet::bladedisc::Options options;
  std::vector<std::string> pinned;  ///< variables
  std::string info;
};

struct gn_executable {
  const gn_host_api* host = nullptr;
  std::unique_ptr<DiscExecutable> disc;
  std::string maker;    ///< describe_compiler()
  std::string library;  ///< "key: value" lines about it
  std::string stored;
};

namespace {

gn_status* create(const gn_create_args* args, gn_backend** out) {
  const gn_host_api* host = args->host;
  return guard(host, [&]() -> gn_status* {
    auto backend = std::make_unique<gn_backend>();
    backend->host = host;
    backend->options = graphnet::bladedisc::read_options(args->options, args->num_options);
    backend->pinned = graphnet::bladedisc::pinned_variables(graphnet::math_policy(host));
    *out = backend.release();
    return nullptr;
  });
}

void destroy(gn_backend* backend) {
  delete backend;
}

gn_status* bind(gn_executable* executable, gn_bind_args* args) {
  return guard(executable->host, [&]() -> gn_status* {
    executable->disc->bind(*args);
    return nullptr;
  });
}

void executable_destroy(gn_executable* executable) {
  delete executable;
}

gn_status* info(gn_backend* backend, gn_executable* executable, gn_info* out) {
  return guard(backend->host, [&]() -> gn_status* {
    backend->info = "compiler: BladeDISC, outside of this process\n";
    if (executable != nullptr) {
      backend->info += "compiler_command: " + executable->maker + "\n" + executable->library +
                       executable->disc->describe();
    }
    out->text = graphnet::to_gn(backend->info);
    return nullptr;
  });
}

gn_status* serialize(gn_executable* executable, gn_string* out) {
  return guard(executable->host, [&]() -> gn_status* {
    if (executable->stored.empty()) {
      executable->stored =
          graphnet::bladedisc::store(executable->disc->package(), executable->maker);
    }
    *out = graphnet::to_gn(executable->stored);
    return nullptr;
  });
}

/// Starts the runner on a package, which is dumped wherever it comes from.
std::unique_ptr<gn_executable> start(const gn_backend& backend,
                                     graphnet::bladedisc::Package package, std::string maker,
                                     const std::string& runner) {
  if (graphnet::dumps(backend.host)) {
    graphnet::dump(backend.host, "module.so", package.library);
    graphnet::dump(backend.host, "module.so.pbtxt", package.metadata);
  }
  auto executable = std::make_unique<gn_executable>();
  executable->host = backend.host;
  executable->maker = std::move(maker);
  executable->library = "library_sha256: " + graphnet::artifact::sha256_hex(package.library) +
                        "\nlibrary_bytes: " + std::to_string(package.library.size()) +
                        "\nmetadata_bytes: " + std::to_string(package.metadata.size()) + "\n";
  executable->disc = std::make_unique<DiscExecutable>(
      std::move(package), backend.options, runner, backend.pinned,
      [host = backend.host] { return host->cancelled(host->host) != 0; });
  return executable;
}

gn_status* deserialize(gn_backend* backend, gn_string bytes, gn_executable** out) {
  return guard(backend->host, [&]() -> gn_status* {
    namespace bladedisc = graphnet::bladedisc;
    const bladedisc::Programs programs = bladedisc::find_programs(backend->options);
    std::string maker =
        bladedisc::describe_compiler(backend->options, programs.compiler, backend->pinned);
    bladedisc::Package package = bladedisc::load(graphnet::from_gn(bytes), maker);
    *out = start(*backend, std::move(package), std::move(maker), programs.runner).release();
    return nullptr;
  });
}

constexpr gn_backend_api kApi = {
    sizeof(gn_backend_api), create, destroy,   gn_backend_compile, gn_backend_run, bind,
    executable_destroy,     info,   serialize, deserialize,
};

/// The log is dumped however the compiler ends.
graphnet::bladedisc::Compiled run_compiler(const gn_backend& backend, const std::string& module,
                                           const std::string& program) {
  namespace bladedisc = graphnet::bladedisc;
  const gn_host_api* host = backend.host;
  const auto keep = [host](const std::string& log) {
    if (graphnet::dumps(host)) graphnet::dump(host, "compiler.log", log);
  };
  try {
    bladedisc::Compiled compiled =
        bladedisc::compile(module, backend.options, program, backend.pinned,
                           [host] { return host->cancelled(host->host) != 0; });
    keep(compiled.log);
    return compiled;
  } catch (const bladedisc::CompilerFailure& failure) {
    keep(failure.log());
    throw;
  }
}

std::unique_ptr<gn_executable> compile(const gn_backend& backend,
                                       graphnet::lowering::stablehlo::LoweredProgram program) {
  namespace bladedisc = graphnet::bladedisc;
  const gn_host_api* host = backend.host;
  const bladedisc::Programs programs = bladedisc::find_programs(backend.options);
  bladedisc::Compiled compiled = run_compiler(backend, program.main.text, programs.compiler);
  const std::string marked = bladedisc::marked_lines(compiled.log);
  if (!marked.empty()) host->log(host->host, GN_LOG_DEBUG, graphnet::to_gn(marked));
  const bool is_cached = compiled.is_cached;
  auto executable =
      start(backend, bladedisc::make_package(program, std::move(compiled)),
            bladedisc::describe_compiler(backend.options, programs.compiler, backend.pinned),
            programs.runner);
  if (is_cached) executable->library += "compiler_cache: warm\n";
  return executable;
}

}  // namespace

int32_t gn_plugin_query(const gn_query_in* in, gn_query_out* out) {
  return graphnet::answer_query(in, out, "bladedisc", "0.1.0", &kApi);
}

gn_status* gn_backend_compile(gn_backend* backend, const gn_compile_args* args,
                              gn_executable** out) {
  const gn_host_api* host = backend->host;
  return guard(host, [&]() -> gn_status* {
    gn_graph_body body = {};
    body.struct_size = sizeof(body);
    gn_status* const status = host->graph_body(host->host, args->graph, &body);
    if (status != nullptr) return status;
    graphnet::lowering::stablehlo::LoweredProgram program = graphnet::bladedisc::lower(host, body);
    if (args->check_only != 0) return nullptr;
    *out = compile(*backend, std::move(program)).release();
    return nullptr;
  });
}

gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  return guard(executable->host, [&]() -> gn_status* {
    executable->disc->run(*args);
    return nullptr;
  });
}
