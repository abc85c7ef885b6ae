// SPDX-License-Identifier: MIT
//
// An interpreter of ten operators on dense float32 tensors. It shows every step of a plugin;
// replace `Program` by your compiler.
#include "graphnet/plugin.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "graphnet/graph_view.h"

using graphnet::Failure;
using graphnet::from_gn;
using graphnet::guard;

namespace {

using Floats = std::vector<float>;
using Function = float (*)(float, float);

/// One operator of the graph: values are named by their position in gn_graph_body::values.
struct Step {
  Function each = nullptr;  // element by element; null: a product
  std::int64_t left = -1;
  std::int64_t right = -1;  // negative: none
  std::int64_t bias = -1;
  std::int64_t result = -1;
  std::int64_t depth = 0;  // of a product with a transposed right side
};

/// Element-wise operators; the others are `linear` and the views.
struct Row {
  const char* op;
  Function each;
};
constexpr Row kRows[] = {
    {"aten::relu", [](float x, float) { return std::isnan(x) ? x : std::max(x, 0.0F); }},
    {"aten::sigmoid", [](float x, float) { return 1 / (1 + std::exp(-x)); }},
    {"aten::tanh", [](float x, float) { return std::tanh(x); }},
    {"aten::exp", [](float x, float) { return std::exp(x); }},
    {"aten::neg", [](float x, float) { return -x; }},
    {"aten::sqrt", [](float x, float) { return std::sqrt(x); }},
    {"aten::mul.Tensor", [](float x, float y) { return x * y; }},
};
constexpr const char* kViews[] = {"aten::view", "aten::reshape"};

std::int64_t count(const std::int64_t* shape, std::int64_t rank) {
  std::int64_t elements = 1;
  for (std::int64_t d = 0; d < rank; ++d) elements *= shape[d];
  return elements;
}

bool is_float32(const gn_value& value) {
  return value.dtype.code == kDLFloat && value.dtype.bits == 32;
}

float* data_of(const DLTensor& tensor) {
  return reinterpret_cast<float*>(static_cast<char*>(tensor.data) + tensor.byte_offset);
}

/// The compiled graph.
class Program {
 public:
  /// errors   Failure UNSUPPORTED: names every node that cannot be
  explicit Program(const gn_graph_body& body) : values_(body.num_values) {
    for (std::size_t id = 0; id < body.num_values; ++id) read_value(id, body.values[id]);
    std::string refused;
    for (const gn_node& node : graphnet::nodes_of(body)) {
      const std::string reason = add(body, node);
      if (reason.empty()) continue;
      refused += (refused.empty() ? "" : "; ") + std::string(from_gn(node.op)) + " at " +
                 std::string(from_gn(node.where)) + ": " + reason;
    }
    if (!refused.empty()) throw Failure(GN_STATUS_UNSUPPORTED, refused);
    for (const std::int64_t id : graphnet::outputs_of(body)) outputs_.push_back(id);
  }

  void bind(const gn_bind_args& args) {
    for (std::size_t i = 0; i < weights_.size(); ++i) fill(weights_[i], *args.weights[i]);
  }

  void run(const gn_run_args& args) {
    for (std::size_t i = 0; i < inputs_.size(); ++i) fill(inputs_[i], *args.inputs[i]);
    for (const Step& step : steps_) compute(step);
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const Floats& value = at(outputs_[i]);
      std::copy(value.begin(), value.end(), data_of(*args.outputs[i]));
    }
  }

 private:
  Floats& at(std::int64_t id) { return values_[static_cast<std::size_t>(id)]; }

  // A value of another type is refused where an operator reads it.
  void read_value(std::size_t id, const gn_value& value) {
    if (value.kind == GN_VALUE_INPUT) inputs_.push_back(static_cast<std::int64_t>(id));
    if (value.kind == GN_VALUE_WEIGHT) weights_.push_back(static_cast<std::int64_t>(id));
    if (!is_float32(value)) return;
    values_[id].resize(static_cast<std::size_t>(count(value.shape, value.rank)));
    if (value.data == nullptr) return;
    const auto* known = static_cast<const float*>(value.data);
    std::copy(known, known + values_[id].size(), values_[id].begin());
  }

  /// Empty, or why the node cannot be.
  std::string add(const gn_graph_body& body, const gn_node& node) {
    Step step;
    step.result = node.results[0];
    std::vector<std::int64_t> tensors;
    for (const gn_argument& argument : graphnet::arguments_of(node)) {
      if (argument.kind != GN_ARGUMENT_VALUE) continue;
      tensors.push_back(argument.integers[0]);
      if (!is_float32(body.values[tensors.back()])) return "only float32";
    }
    if (step.result < 0 || !is_float32(body.values[step.result])) return "only float32";
    if (tensors.empty()) return "not written yet";
    step.left = tensors[0];
    const std::string_view op = from_gn(node.op);
    if (op == "aten::linear") {
      const gn_value& left = body.values[step.left];
      step.right = tensors.at(1);
      step.bias = tensors.size() > 2 ? tensors[2] : -1;
      step.depth = left.shape[left.rank - 1];
      steps_.push_back(step);
      return "";
    }
    for (const char* view : kViews) {
      if (op == view) step.each = [](float x, float) { return x; };
    }
    for (const Row& row : kRows) {
      if (op == row.op) step.each = row.each;
    }
    if (op == "aten::add.Tensor") {
      const gn_argument* alpha = graphnet::find_argument(node, "alpha");
      if (alpha->kind == GN_ARGUMENT_INT && alpha->integer == 1) {
        step.each = [](float x, float y) { return x + y; };
      }
    }
    if (step.each == nullptr) return "not written yet";
    if (tensors.size() > 1) step.right = tensors[1];
    for (const std::int64_t operand : tensors) {
      if (at(operand).size() != at(step.result).size()) return "no broadcasting";
    }
    steps_.push_back(step);
    return "";
  }

  void fill(std::int64_t id, const DLTensor& tensor) {
    Floats& value = at(id);
    if (!value.empty()) std::copy(data_of(tensor), data_of(tensor) + value.size(), value.begin());
  }

  void compute(const Step& step) {
    const Floats& left = at(step.left);
    Floats& result = at(step.result);
    if (step.each != nullptr) {
      for (std::size_t i = 0; i < result.size(); ++i) {
        result[i] = step.each(left[i], step.right < 0 ? 0 : at(step.right)[i]);
      }
      return;
    }
    const Floats& weight = at(step.right);
    const auto depth = static_cast<std::size_t>(step.depth);
    const std::size_t columns = weight.size() / depth;
    for (std::size_t i = 0; i < result.size(); ++i) {
      double sum = step.bias < 0 ? 0 : at(step.bias)[i % columns];
      for (std::size_t k = 0; k < depth; ++k) {
        sum += static_cast<double>(left[i / columns * depth + k]) * weight[i % columns * depth + k];
      }
      result[i] = static_cast<float>(sum);
    }
  }

  std::vector<Floats> values_;  // by id
  std::vector<Step> steps_;
  std::vector<std::int64_t> inputs_, weights_, outputs_;  // ids, in the order of the signature
};

}  // namespace

struct gn_backend {
  const gn_host_api* host = nullptr;
};

struct gn_executable {
  const gn_host_api* host = nullptr;
  std::unique_ptr<Program> program;
};

namespace {

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
    executable->program->bind(*args);
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
    auto program = std::make_unique<Program>(body);
    if (args->check_only == 0) *out = new gn_executable{host, std::move(program)};
    return nullptr;
  });
}

gn_status* gn_backend_run(gn_executable* executable, const gn_run_args* args) {
  return guard(executable->host, [&]() -> gn_status* {
    executable->program->run(*args);
    return nullptr;
  });
}
