// SPDX-License-Identifier: MIT
#pragma once

#include "graphnet/abi.h"
#include "lowering/stablehlo/program.h"
#include "xla/options.h"

namespace graphnet::xla {

/// Turns a graph into StableHLO. With `check_only` nothing is made.
///
/// errors   UNSUPPORTED with every node that has no lowering
gn_status* lower_graph(const gn_host_api* host, const gn_graph* graph, const Options& options,
                       bool check_only, lowering::stablehlo::LoweredProgram& out);

}  // namespace graphnet::xla
