// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lowering/failures.h"
#include "lowering/ir/graph.h"
#include "tensorrt/constants.h"
#include "tensorrt/network.h"

namespace graphnet::tensorrt {

/// A parameter of the graph under its name in the network.
struct NamedParameter {
  std::string name;  ///< "input0", "weight3", "bound1"
  lowering::ir::Parameter parameter;
  lowering::ir::TensorType type;
};

/// What write_network() made besides layers, or why there is no network.
struct WrittenNetwork {
  std::vector<lowering::Failure> failures;
  std::vector<NamedParameter> inputs;      ///< of the network; with weights that cannot be refitted
  std::vector<NamedParameter> refittable;  ///< constants whose elements bind gives
  std::vector<std::string> outputs;        ///< in the order of the graph; empty: it has no element
  Constants constants;                     ///< read until the engine is built
};

/// What weights become that bind gives.
enum class BoundWeights : std::uint8_t {
  kRefitted,  ///< constants, if they are floats: the builder may prepare them as it likes
  kInputs,    ///< of the network: it is built without weights
};

/// "bound_weights=refitted".
const char* name_of(BoundWeights bound);

/// Writes a graph that legalize() made as layers. The graph lends its constants to the network.
/// After each layer, what came out must have the type and shape that the graph says.
///
/// What depends on constants alone and is small is computed here, with every type that ATen has. A
/// value that is one element or a row many times keeps extents of 1 until a layer needs it whole.
WrittenNetwork write_network(const lowering::ir::Graph& graph, Network& network,
                             BoundWeights bound = BoundWeights::kRefitted);

/// "input0", and back.
std::string name_of(const lowering::ir::Parameter& parameter);
lowering::ir::Parameter parameter_of(const std::string& name);

}  // namespace graphnet::tensorrt
