// SPDX-License-Identifier: MIT
#pragma once

#include "graphnet/plugin.h"
#include "lowering/stablehlo/program.h"

namespace graphnet::bladedisc {

/// A graph as one MHLO module of mid-2023, weights of mode `bound` as arguments of @main.
///
/// errors   Failure UNSUPPORTED with every node that DISC cannot take
lowering::stablehlo::LoweredProgram lower(const gn_host_api* host, const gn_graph_body& body);

}  // namespace graphnet::bladedisc
