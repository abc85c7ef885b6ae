// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <string_view>

#include "lowering/ir/graph.h"

namespace graphnet::lowering::ir {

/// A graph as text, a node a line:
///
///     %0: f32[2,3] = input index=0
///     %1: f32[3,4] = weight index=0
///     %2: f32[2,4] = dot(%0, %1) left_batch=[] ... right_contracting=[0] # aten::mm model.py:7:9
///     %3: f32[2,4], %4: i64[2,4] = sort(%2) dim=1 descending=true
///     %5: f32[2,4] = aten::gelu(self=%3, approximate="none") { # aten::gelu model.py:8:9
///       %0: f32[2,4] = input index=0
///       ...
///     }
///     %6: f32[2] = aten::foo(x=%5) unsupported="no decomposition" # aten::foo model.py:9:9
///     return %6, %4
///
/// A composite has its body behind it, indented; or says why it has none.
std::string to_text(const Graph& graph);

/// Reads what to_text() wrote; equal text comes out again. The graph is verified.
///
/// errors   LoweringError: "line 3: ..."
Graph parse(std::string_view text);

}  // namespace graphnet::lowering::ir
