// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "cli/command.h"
#include "supervise/run_plan.h"

namespace graphnet::cli {

/// `graphnet inspect SAMPLE --stage lowered --config CONFIG`: the graph as the plugin has it after
/// lowering, which it writes to lowered.ir of its dump folder (abi.h).
///
/// errors   as plan_trial(); kPlugin: the plugin cannot compile the graph, or writes no such file
base::Result<int> show_lowered(const Context& context, const supervise::PlannedSample& sample,
                               const std::string& config);

}  // namespace graphnet::cli
