// SPDX-License-Identifier: MIT
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace graphnet::tensorrt {

/// What the inspector says of an engine, counted.
struct EngineSummary {
  std::map<std::string, int> layers;   ///< by type: "kgen", "gemm", "Reformat"
  std::map<std::string, int> kernels;  ///< by name, the inspector's TacticName
};

/// Reads the inspector's JSON; what is damaged or cut off is left out. Engines that were built with
/// names only give nothing.
///
/// source   "LayerType" and "TacticName" of each layer: TensorRT's developer guide, engine
/// inspector
EngineSummary summarize_engine(std::string_view json);

/// "engine_layers: 5: gemm x 2, kgen x 3" and "kernels: 4: name, other x 2" as lines; of more
/// kernels than fit into 16 KiB the number.
std::string to_lines(const EngineSummary& summary);

}  // namespace graphnet::tensorrt
