// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "graphnet/plugin.h"

namespace graphnet::tests {

struct Layer {
  const float* weight = nullptr;  // [outputs, inputs]
  const float* bias = nullptr;    // [outputs]
  std::int64_t num_inputs = 0;
  std::int64_t num_outputs = 0;
};

// outputs[row, i] = bias[i] + sum over j of inputs[row, j] * weight[i, j]
inline void linear(const Layer& layer, const float* inputs, std::int64_t num_rows, float* outputs) {
  constexpr std::int64_t kLanes = 16;
  for (std::int64_t row = 0; row < num_rows; ++row) {
    const float* x = inputs + row * layer.num_inputs;
    for (std::int64_t i = 0; i < layer.num_outputs; ++i) {
      const float* w = layer.weight + i * layer.num_inputs;
      float sums[kLanes] = {};
      for (std::int64_t j = 0; j < layer.num_inputs; j += kLanes) {
        for (std::int64_t lane = 0; lane < kLanes; ++lane) {
          sums[lane] += x[j + lane] * w[j + lane];
        }
      }
      float sum = layer.bias[i];
      for (const float part : sums) sum += part;
      outputs[row * layer.num_outputs + i] = sum;
    }
  }
}

inline const float* data_of(const DLTensor& tensor) {
  return reinterpret_cast<const float*>(static_cast<const char*>(tensor.data) + tensor.byte_offset);
}

/// The one graph that the test plugins compile: linear, relu, linear (configs/control).
struct Mlp {
  Layer first;
  Layer second;
  std::int64_t num_rows = 0;
  std::vector<float> hidden;

  std::int64_t input_count() const { return num_rows * first.num_inputs; }
  std::int64_t output_count() const { return num_rows * second.num_outputs; }

  /// Reads the sizes; unsupported for graphs with other weights. What else may be in the graph
  /// (random inputs behind the first, operators after the second layer) is the plugin's matter.
  gn_status* read(const gn_host_api* host, const gn_graph* graph) {
    gn_graph_signature signature = {};
    signature.struct_size = sizeof(signature);
    if (gn_status* status = host->graph_signature(host->host, graph, &signature)) return status;
    if (signature.num_inputs < 1 || signature.num_outputs != 1 || signature.num_weights != 4 ||
        signature.inputs[0].rank != 2 || !are_weights(signature.weights)) {
      return fail(host, GN_STATUS_UNSUPPORTED, "only linear, relu, linear");
    }
    const gn_value& input = signature.inputs[0];
    const gn_value& last = signature.weights[2];
    num_rows = input.shape[0];
    first.num_inputs = input.shape[1];
    first.num_outputs = signature.weights[0].shape[0];
    second.num_inputs = last.shape[1];
    second.num_outputs = last.shape[0];
    hidden.resize(static_cast<std::size_t>(num_rows * first.num_outputs));
    return nullptr;
  }

  static bool are_weights(const gn_value* weights) {
    return weights[0].rank == 2 && weights[1].rank == 1 && weights[2].rank == 2 &&
           weights[3].rank == 1;
  }

  void bind(const gn_bind_args& args) {
    first.weight = data_of(*args.weights[0]);
    first.bias = data_of(*args.weights[1]);
    second.weight = data_of(*args.weights[2]);
    second.bias = data_of(*args.weights[3]);
  }

  void compute(const float* input, float* output) {
    linear(first, input, num_rows, hidden.data());
    for (float& value : hidden) value = std::max(value, 0.0F);
    linear(second, hidden.data(), num_rows, output);
  }
};

}  // namespace graphnet::tests
