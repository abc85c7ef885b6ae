// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "lowering/ir/graph_emitter.h"

namespace graphnet::tvm {

/// The input of a graph that has one, float32.
inline lowering::Tensor one_input(lowering::ir::GraphEmitter& emitter,
                                  const std::vector<std::int64_t>& shape) {
  return emitter.parameter(lowering::ir::ParameterSource::kInput, 0, {lowering::Type::kF32, shape});
}

}  // namespace graphnet::tvm
