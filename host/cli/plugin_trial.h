// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "cli/command.h"
#include "supervise/run_plan.h"

namespace graphnet::cli {

/// A task for one sample with the plugin of a config, as `graphnet run` would plan it.
///
/// errors   as `graphnet run` for config and plugin
base::Result<supervise::PlannedTask> plan_trial(const Context& context,
                                                const supervise::PlannedSample& sample,
                                                const std::string& config);

/// The time that a run gives to all phases of a sample; nothing if one of them is not limited.
std::optional<std::chrono::milliseconds> whole_limit(const supervise::PlannedTask& planned);

}  // namespace graphnet::cli
