// SPDX-License-Identifier: MIT
#pragma once

#include <vector>

#include "cli/command.h"
#include "cli/run_options.h"
#include "config/resolve_backend.h"

namespace graphnet::cli {

/// The backends of all configs, the flags applied.
///
/// errors   as examine_backend() and apply_run_options(); that of the first plugin if none can be
///          used
base::Result<std::vector<config::Backend>> read_backends(const Context& context,
                                                         const RunOptions& options);

/// Samples named on the command line, else by the configs, else the bundled ones.
base::Result<std::vector<supervise::PlannedSample>> choose_samples(
    const Context& context, const RunOptions& options,
    const std::vector<config::Backend>& backends);

}  // namespace graphnet::cli
