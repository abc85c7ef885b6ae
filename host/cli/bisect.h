// SPDX-License-Identifier: MIT
#pragma once

#include <string>

#include "base/result.h"
#include "cli/command.h"
#include "supervise/run_plan.h"

namespace graphnet::cli {

/// `graphnet inspect SAMPLE --bisect --config CONFIG`: the first node whose value leaves tolerance
/// under the config's plugin. Trials go to standard error, the node to standard output; exit code 1
/// if there is one.
///
/// errors   as `graphnet run` for config and plugin; supervise/bisection.h
base::Result<int> bisect_sample(const Context& context, const supervise::PlannedSample& sample,
                                const std::string& config);

}  // namespace graphnet::cli
