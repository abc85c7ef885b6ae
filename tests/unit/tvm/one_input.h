// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "tvm_plugin/emitter.h"

namespace graphnet::tvm {

/// The input of a program that has one, float32.
inline Tensor one_input(Emitter& emitter, const std::vector<std::int64_t>& shape) {
  return emitter.argument(ArgumentSource::kInput, 0, Type::kF32, shape);
}

}  // namespace graphnet::tvm
