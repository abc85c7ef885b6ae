// SPDX-License-Identifier: MIT
//
// A plugin over graphnet's lowered graph (lowering/ir/graph.h): all operators of the dataset as
// about thirty primitives. It computes that graph element by element; replace `interpret` by your
// compiler.
#include "graphnet/plugin.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "lowering/ir/build.h"
#include "lowering/ir/interpret.h"
#include "lowering/ir/passes/layout.h"

namespace ir = graphnet::lowering::ir;
using graphnet::fail;
using graphnet::guard;

struct gn_backend {
  const gn_host_api* host = nullptr;
};

struct gn_executable {
  const gn_host_api* host = nullptr;
  ir::Graph graph;
  ir::Arguments arguments;
};

namespace {

/// What your compiler has as a whole (softmax, attention, ...), and the layouts that it wants, are
/// functions of this class: see LayoutEmitter and Emitter::composite.
class Target final : public ir::LayoutEmitter {
 public:
  Target() : LayoutEmitter(/*rewrites=*/false) {}
};

std::vector<ir::Array> read_all(const DLTensor* const* tensors, std::uint64_t count) {
  std::vector<ir::Array> arrays;
  for (std::uint64_t i = 0; i < count; ++i) {
    const DLTensor& tensor = *tensors[i];
    const auto type = graphnet::lowering::type_of(tensor.dtype);
    if (!type) throw graphnet::lowering::LoweringError("an argument of an unknown element type");
    const auto* data = static_cast<const char*>(tensor.data) + tensor.byte_offset;
    arrays.push_back(ir::read_array({*type, {tensor.shape, tensor.shape + tensor.ndim}}, data));
  }
  return arrays;
}

gn_status* create(const gn_create_args* args, gn_backend** out) {
  return guard(args->host, [&]() -> gn_status* {
    *out = new gn_backend{args->host};
    return nullptr;
  });
}

void destroy(gn_backend* backend) {
  delete backend;
}

gn_status* bind(gn_executable* executable, gn_bind_args* args) {
  return guard(executable->host, [&]() -> gn_status* {
    executable->arguments.weights = read_all(args->weights, args->num_weights);
    args->copied = 1;
    return nullptr;
  });
}

void executable_destroy(gn_executable* executable) {
  delete executable;
}

// Slots in the order of gn_backend_api; the last three may be null.
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
  return graphnet::answer_query(in, out, "@NAME@", "0.1.0", &kApi);
}

gn_status* gn_backend_compile(gn_backend* backend, const gn_compile_args* args,
                              gn_executable** out) {
  const gn_host_api* host = backend->host;
  return guard(host, [&]() -> gn_status* {
    gn_graph_body body = {};
    body.struct_size = sizeof(body);
    gn_status* const status = host->graph_body(host->host, args->graph, &body);
    if (status != nullptr) return status;
    ir::Built built = ir::build(body, /*rewrites=*/false);
    if (built.failures.empty()) {
      Target target;
      built = ir::rewrite(built.graph, target);
    }
    if (!built.failures.empty()) {
      return fail(host, GN_STATUS_UNSUPPORTED,
                  graphnet::lowering::describe_failures(built.failures));
    }
    if (args->check_only == 0) *out = new gn_executable{host, std::move(built.graph), {}};
    return nullptr;
  });
}

gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  return guard(executable->host, [&]() -> gn_status* {
    executable->arguments.inputs = read_all(args->inputs, args->num_inputs);
    const std::vector<ir::Array> outputs = ir::interpret(executable->graph, executable->arguments);
    for (std::uint64_t i = 0; i < args->num_outputs; ++i) {
      DLTensor& output = *args->outputs[i];
      if (output.data == nullptr) continue;  // a tensor without elements
      ir::write_array(outputs[i], static_cast<char*>(output.data) + output.byte_offset);
    }
    return nullptr;
  });
}
