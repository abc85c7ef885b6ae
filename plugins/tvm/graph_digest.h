// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "lowering/ir/graph.h"

namespace graphnet::tvm {

/// SHA-256 over everything that decides what a graph compiles to; where its nodes come from is left
/// out.
std::string digest_of(const lowering::ir::Graph& graph);

}  // namespace graphnet::tvm
