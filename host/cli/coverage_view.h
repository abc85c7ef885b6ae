// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "supervise/run_plan.h"

namespace graphnet::cli {

/// `graphnet inspect --coverage --config CONFIG [SAMPLE|DIR|LIST]...`: which samples the plugin of
/// a config would compile, and its reasons against the others. Nothing is compiled or run. Exit
/// code kExitSampleFailed if it would not compile one of them.
///
/// errors   as plan_trial()
base::Result<int> show_coverage(const Context& context,
                                const std::vector<supervise::PlannedSample>& samples,
                                const std::string& config);

}  // namespace graphnet::cli
