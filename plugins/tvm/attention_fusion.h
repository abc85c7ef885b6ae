// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/ir/graph.h"
#include "tvm_plugin/vector_unit.h"

namespace graphnet::tvm {

/// Writes attention as one operation (ir::Attention) where it pays: a product, what is done to its
/// result element by element (scale, masks), a softmax over rows, and a product with it. Nothing
/// but these may read what they pass on. Scores that are added or compared there keep the extents
/// that they have before they are broadcast.
///
/// graph   legalised with rewrites (legalize.h), for the same unit
lowering::ir::Graph fuse_attention(const lowering::ir::Graph& graph, const VectorUnit& unit);

}  // namespace graphnet::tvm
