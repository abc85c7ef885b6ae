// SPDX-License-Identifier: MIT
#pragma once

#include <string_view>

#include "graph/program.h"

namespace graphnet::worker {

/// Whether an argument is a weight; decided here only.
///
/// order    mode: of the run, "bound", "frozen" or "per_call"
inline bool is_weight(graph::ParameterKind kind, std::string_view mode = "bound") {
  using graph::ParameterKind;
  const bool is_state = kind == ParameterKind::kParameter || kind == ParameterKind::kBuffer;
  return is_state && mode != "per_call";
}

}  // namespace graphnet::worker
