// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "graph/call_list.h"
#include "graph/graph.h"
#include "graph/op_library.h"

namespace graphnet::graph {

/// The normal form of a program as it was run.
///
/// errors   kUnsupported with the reason and the position if it has none; kInternal if a pass broke
/// a
///          rule of Graph
base::Result<Graph> to_normal_form(const CallList& calls, const OpLibrary& library);

}  // namespace graphnet::graph
