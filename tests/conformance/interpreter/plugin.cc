// SPDX-License-Identifier: MIT
//
// The interpreter of sdk/lowering/ir as a plugin, so that the cases of sdk/conformance compare it
// with eager: decompositions and passes are checked without any compiler. Each graph is written as
// text and read again before it runs.
#include "graphnet/plugin.h"

#include <algorithm>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "bladedisc/legalize.h"
#include "lowering/ir/build.h"
#include "lowering/ir/interpret.h"
#include "lowering/ir/passes/stage.h"
#include "lowering/ir/text.h"
#include "lowering/ir/verify.h"
#include "lowering/stablehlo/legalize.h"
#include "lowering/stablehlo/print.h"
#include "support/mhlo_check.h"
#include "tensorrt/described_network.h"
#include "tensorrt/legalize.h"
#include "tensorrt/write_network.h"
#include "tvm_plugin/legalize.h"

namespace ir = graphnet::lowering::ir;
using graphnet::fail;
using graphnet::guard;

struct gn_backend {
  const gn_host_api* host = nullptr;
  bool rewrites = false;
  std::string target;  // "none", "xla", "tvm", "tensorrt", "tensorrt-layers" or "bladedisc"
  std::string texts;   // folder for what is printed for bladedisc; empty: it is not kept
};

struct gn_executable {
  const gn_host_api* host = nullptr;
  ir::StagedGraph graph;
  ir::Arguments arguments;           // what bind gave and computed; inputs are empty between calls
  std::vector<std::size_t> outputs;  // of the call's graph: outputs of the signature
  bool has_real_parts = false;       // complex numbers are pairs
};

namespace {

// What a compiler that wrote its graph to a file would read.
ir::Graph read_again(const ir::Graph& graph) {
  ir::verify(graph);
  const std::string text = ir::to_text(graph);
  ir::Graph read = ir::parse(text);
  if (ir::to_text(read) != text) {
    throw graphnet::lowering::LoweringError("the graph's text does not read as the same graph");
  }
  return read;
}

/// `in_parts`: of complex numbers the parts, as a graph of with_real_parts takes them.
std::vector<ir::Array> read_all(const DLTensor* const* tensors, std::uint64_t count,
                                bool in_parts) {
  std::vector<ir::Array> arrays;
  for (std::uint64_t i = 0; i < count; ++i) {
    const DLTensor& tensor = *tensors[i];
    const auto type = graphnet::lowering::type_of(tensor.dtype);
    if (!type) throw graphnet::lowering::LoweringError("an argument of an unknown element type");
    const auto* data = static_cast<const std::byte*>(tensor.data) + tensor.byte_offset;
    ir::TensorType read = {*type, {tensor.shape, tensor.shape + tensor.ndim}};
    if (in_parts && graphnet::lowering::is_complex(*type)) {
      read.type = graphnet::lowering::part_type(*type);
      read.shape.push_back(2);
    }
    arrays.push_back(ir::read_array(read, data));
  }
  return arrays;
}

bool is_tensorrt(const gn_backend& backend) {
  return backend.target.rfind("tensorrt", 0) == 0;
}

// The call as TensorRT's layers, read again as what their documentation says. Outputs without an
// element are no outputs of a network.
std::vector<graphnet::lowering::Failure> describe_layers(ir::Graph& call,
                                                         std::vector<std::size_t>& outputs) {
  using graphnet::tensorrt::DescribedNetwork;
  DescribedNetwork network(DescribedNetwork::Constants::kWritten);
  const auto written = graphnet::tensorrt::write_network(call, network);
  if (!written.failures.empty()) return written.failures;
  outputs.clear();
  for (std::size_t i = 0; i < written.outputs.size(); ++i) {
    if (!written.outputs[i].empty()) outputs.push_back(i);
  }
  call = network.finish();
  return {};
}

// What DISC would be given, held to what can be said of it without MLIR.
void print_for_disc(const gn_backend& backend, const gn_graph* graph, const ir::Graph& legalized) {
  using namespace graphnet::lowering::stablehlo;
  PrintOptions options;
  options.rewrites = false;
  options.lends_results = false;
  options.dialect = Dialect::kMhlo2023;
  options.placement = "cpu";
  const std::string text = print(legalized, options, "graphnet").main.text;
  const std::string mistake = graphnet::test::mhlo_mistake(text);
  if (!mistake.empty()) throw graphnet::lowering::LoweringError("MHLO: " + mistake);
  if (backend.texts.empty()) return;
  gn_graph_signature signature = {};
  signature.struct_size = sizeof(signature);
  backend.host->graph_signature(backend.host->host, graph, &signature);
  std::string name(graphnet::from_gn(signature.sample));
  std::replace(name.begin(), name.end(), '/', '+');
  std::ofstream(backend.texts + "/" + name + ".mlir") << text;
}

gn_status* create(const gn_create_args* args, gn_backend** out) {
  return guard(args->host, [&]() -> gn_status* {
    auto backend = std::make_unique<gn_backend>();
    backend->host = args->host;
    for (std::uint64_t i = 0; i < args->num_options; ++i) {
      const std::string_view name = graphnet::from_gn(args->options[i].name);
      const std::string_view text = graphnet::from_gn(args->options[i].text);
      if (name == "rewrites") backend->rewrites = text == "all";
      if (name == "legalize") backend->target = text;
      if (name == "texts") backend->texts = text;
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
    executable->arguments.weights =
        read_all(args->weights, args->num_weights, executable->has_real_parts);
    executable->arguments.bound = ir::interpret(executable->graph.bind, executable->arguments);
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
    const auto refuse = [host](const std::vector<graphnet::lowering::Failure>& failures) {
      return fail(host, GN_STATUS_UNSUPPORTED, graphnet::lowering::describe_failures(failures));
    };
    ir::Built built = ir::build(body, backend->rewrites);
    if (!built.failures.empty()) return refuse(built.failures);
    if (backend->target == "xla") {
      built = graphnet::lowering::stablehlo::legalize(built.graph, backend->rewrites);
    } else if (backend->target == "tvm") {
      built = graphnet::tvm::legalize(built.graph, backend->rewrites);
    } else if (is_tensorrt(*backend)) {
      built = graphnet::tensorrt::legalize(built.graph);
    } else if (backend->target == "bladedisc") {
      built = graphnet::bladedisc::legalize(built.graph);
      if (built.failures.empty()) print_for_disc(*backend, args->graph, built.graph);
    } else {
      built.failures = ir::unlowered(built.graph);
    }
    if (!built.failures.empty()) return refuse(built.failures);
    ir::StagedGraph staged = ir::split_by_stage(std::move(built.graph));
    auto executable = std::make_unique<gn_executable>();
    executable->host = host;
    executable->has_real_parts = backend->target != "none" && backend->target != "xla";
    executable->outputs.resize(staged.call.outputs.size());
    std::iota(executable->outputs.begin(), executable->outputs.end(), std::size_t{0});
    if (backend->target == "tensorrt-layers") {
      const auto failures = describe_layers(staged.call, executable->outputs);
      if (!failures.empty()) return refuse(failures);
    }
    if (args->check_only != 0) return nullptr;
    executable->graph = {read_again(staged.bind), read_again(staged.call)};
    *out = executable.release();
    return nullptr;
  });
}

gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  return guard(executable->host, [&]() -> gn_status* {
    executable->arguments.inputs =
        read_all(args->inputs, args->num_inputs, executable->has_real_parts);
    const std::vector<ir::Array> outputs =
        ir::interpret(executable->graph.call, executable->arguments);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      DLTensor& output = *args->outputs[executable->outputs[i]];
      if (output.data == nullptr) continue;
      ir::write_array(outputs[i], static_cast<std::byte*>(output.data) + output.byte_offset);
    }
    return nullptr;
  });
}
