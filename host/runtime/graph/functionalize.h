// SPDX-License-Identifier: MIT
#pragma once

#include "base/result.h"
#include "graph/call_list.h"
#include "graph/graph.h"
#include "graph/op_library.h"

namespace graphnet::graph {

/// Makes every write a new value. What a call wrote through a view is carried back to the tensor
/// whose memory it is, and other views of it are taken again when they are read next. Writes to
/// parameters end with the graph. Random values become inputs behind the parameters.
///
/// errors   kUnsupported with operator and position: a write that has no functional form or goes
///          through a view that cannot be undone; a random call whose distribution depends on
///          tensors
base::Result<Graph> functionalize(const CallList& calls, const OpLibrary& library);

}  // namespace graphnet::graph
