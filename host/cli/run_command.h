// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <vector>

#include "cli/command.h"
#include "cli/run_options.h"
#include "config/resolve_backend.h"
#include "supervise/run_plan.h"

namespace graphnet::cli {

/// The backends of all configs, the flags applied.
///
/// errors   as examine_backend() and apply_run_options(); that of the first plugin if none can be
///          used
base::Result<std::vector<config::Backend>> read_backends(const Context& context,
                                                         const RunOptions& options);

/// Called with the whole plan before anything runs, tasks that the results file holds included.
using OnPlan = std::function<base::Status(const std::vector<supervise::PlannedTask>&)>;

/// Runs samples into a results file and shows the table, as `graphnet run` does. Returns the exit
/// code.
///
/// errors   whatever keeps the run from starting; that of `on_plan`
base::Result<int> run_samples(const Context& context, const RunOptions& options,
                              const OnPlan& on_plan = {});

/// Samples named on the command line, else by the configs, else the bundled ones.
base::Result<std::vector<supervise::PlannedSample>> choose_samples(
    const Context& context, const RunOptions& options,
    const std::vector<config::Backend>& backends);

}  // namespace graphnet::cli
