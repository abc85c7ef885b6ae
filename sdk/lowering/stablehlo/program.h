// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "graphnet/abi.h"

namespace graphnet::lowering::stablehlo {

/// Element type and static shape of one argument or result; dense row-major.
struct TensorType {
  DLDataType dtype = {};
  std::vector<std::int64_t> shape;
};

/// Where an argument of a module's @main comes from.
enum class ArgumentSource : std::uint8_t {
  kInput,   ///< input `index` of the graph's signature, given with every run
  kWeight,  ///< weight `index` of the graph's signature, given once to bind
  kBound,   ///< result `index` of the bind module
  /// Memory for result `index` of this module: never read; carries `tf.aliasing_output = index`, so
  /// that a runtime which donates it writes the result there.
  kResultMemory,
};

struct ModuleArgument {
  ArgumentSource source = ArgumentSource::kInput;
  std::uint32_t index = 0;
  TensorType type;
};

/// One StableHLO module as text with a function @main.
///
/// order    arguments and results as in the signature of @main
struct Module {
  std::string text;
  std::vector<ModuleArgument> arguments;
  std::vector<TensorType> results;
};

/// A graph as StableHLO: what runs in every call, and what is computed from weights alone.
///
/// Tensors without elements appear in neither signature: there is nothing to compute or to move.
struct LoweredProgram {
  Module main;
  /// Output of the graph's signature that each result of `main` is.
  std::vector<std::uint32_t> result_outputs;
  /// Run once, in bind; takes weights only, its results are the kBound arguments of `main`. Nothing
  /// if no value depends on weights alone.
  std::optional<Module> bind;
};

}  // namespace graphnet::lowering::stablehlo
