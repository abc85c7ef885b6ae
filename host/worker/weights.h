// SPDX-License-Identifier: MIT
#pragma once

#include "graph/program.h"

namespace graphnet::worker {

/// Whether an argument is a weight where weights are bound: the one place that decides it.
inline bool is_weight(graph::ParameterKind kind) {
  return kind == graph::ParameterKind::kParameter;
}

}  // namespace graphnet::worker
