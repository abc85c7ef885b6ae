// SPDX-License-Identifier: MIT
//
// The interpreter of sdk/lowering/ir as a plugin, so that the cases of sdk/conformance compare it
// with eager: decompositions are checked without any compiler. Each graph is written as text and
// read again before it runs.
#include "graphnet/plugin.h"

#include <memory>
#include <string>
#include <vector>

#include "lowering/ir/build.h"
#include "lowering/ir/interpret.h"
#include "lowering/ir/text.h"

namespace ir = graphnet::lowering::ir;
using graphnet::fail;
using graphnet::guard;

struct gn_backend {
  const gn_host_api* host = nullptr;
  bool rewrites = false;
};

struct gn_executable {
  const gn_host_api* host = nullptr;
  ir::Graph graph;
  std::vector<ir::Array> weights;
};

namespace {

std::vector<ir::Array> read_all(const DLTensor* const* tensors, std::uint64_t count) {
  std::vector<ir::Array> arrays;
  for (std::uint64_t i = 0; i < count; ++i) {
    const DLTensor& tensor = *tensors[i];
    const auto type = graphnet::lowering::type_of(tensor.dtype);
    if (!type) throw graphnet::lowering::LoweringError("an argument of an unknown element type");
    const auto* data = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
    arrays.push_back(ir::read_array({*type, {tensor.shape, tensor.shape + tensor.ndim}}, data));
  }
  return arrays;
}

gn_status* create(const gn_create_args* args, gn_backend** out) {
  return guard(args->host, [&]() -> gn_status* {
    auto backend = std::make_unique<gn_backend>();
    backend->host = args->host;
    for (std::uint64_t i = 0; i < args->num_options; ++i) {
      backend->rewrites = graphnet::from_gn(args->options[i].text) == "all";
    }
    *out = backend.release();
    return nullptr;
  });
}

void destroy(gn_backend* backend) {
  delete backend;
}

gn_status* bind(gn_executable* executable, gn_bind_args* args) {
  return guard(executable->host, [&]() -> gn_status* {
    executable->weights = read_all(args->weights, args->num_weights);
    args->copied = 1;
    return nullptr;
  });
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

int32_t gn_plugin_query(const gn_query_in* in, gn_query_out* out) {
  return graphnet::answer_query(in, out, "interpreter", "0.1.0", &kApi);
}

gn_status* gn_backend_compile(gn_backend* backend, const gn_compile_args* args,
                              gn_executable** out) {
  const gn_host_api* host = backend->host;
  return guard(host, [&]() -> gn_status* {
    gn_graph_body body = {};
    body.struct_size = sizeof(body);
    gn_status* const status = host->graph_body(host->host, args->graph, &body);
    if (status != nullptr) return status;
    const ir::Built built = ir::build(body, backend->rewrites);
    if (!built.failures.empty()) {
      return fail(host, GN_STATUS_UNSUPPORTED,
                  graphnet::lowering::describe_failures(built.failures));
    }
    if (args->check_only != 0) return nullptr;
    const std::string text = ir::to_text(built.graph);
    auto executable = std::make_unique<gn_executable>();
    executable->host = host;
    executable->graph = ir::parse(text);
    if (ir::to_text(executable->graph) != text) {
      return fail(host, GN_STATUS_INTERNAL, "the graph's text does not read as the same graph");
    }
    *out = executable.release();
    return nullptr;
  });
}

gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  return guard(executable->host, [&]() -> gn_status* {
    const std::vector<ir::Array> outputs = ir::interpret(
        executable->graph, read_all(args->inputs, args->num_inputs), executable->weights);
    for (std::uint64_t i = 0; i < args->num_outputs; ++i) {
      DLTensor& output = *args->outputs[i];
      if (output.data == nullptr) continue;
      ir::write_array(outputs[i], static_cast<std::byte*>(output.data) + output.byte_offset);
    }
    return nullptr;
  });
}
