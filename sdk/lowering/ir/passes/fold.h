// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/ir/graph.h"

namespace graphnet::lowering::ir {

/// A value of more elements is left to the compiler: to compute it here would take longer, and to
/// read it in every call may take longer than to make it.
inline constexpr std::int64_t kMostFoldedElements = 4096;

/// Computes what depends on constants alone, and writes it down as constants (splats where all
/// elements are equal). Elements are rounded once, from 64 bits. Operations that the interpreter
/// does not know, and composites, stay.
Graph fold(Graph graph);

}  // namespace graphnet::lowering::ir
