// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <vector>

#include "tvm_plugin/emitter.h"

namespace graphnet::tvm {

/// The input of a program that has one, float32.
inline Tensor one_input(Emitter& emitter, const std::vector<std::int64_t>& shape) {
  gn_value value = {};
  value.struct_size = sizeof(value);
  value.kind = GN_VALUE_INPUT;
  value.dtype = {kDLFloat, 32, 1};
  value.rank = static_cast<decltype(value.rank)>(shape.size());
  value.shape = shape.data();
  gn_graph_body body = {};
  body.struct_size = sizeof(body);
  body.values = &value;
  body.num_values = 1;
  return emitter.add_parameters(body)[0];
}

}  // namespace graphnet::tvm
