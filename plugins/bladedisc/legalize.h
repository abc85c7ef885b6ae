// SPDX-License-Identifier: MIT
#pragma once

#include "lowering/ir/built.h"

namespace graphnet::bladedisc {

/// The graph of the operations that DISC generates code for or has a library for, or all operators
/// that it cannot take. What DISC lacks and others can stand for is written with those: windows as
/// shifted slices, the place of an extreme by a comparison, dilated inputs as padding.
///
/// source   DISC's lowering at its last commit, 2024-08-27; nothing of it was run
lowering::ir::Built legalize(const lowering::ir::Graph& graph);

}  // namespace graphnet::bladedisc
