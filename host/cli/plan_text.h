// SPDX-License-Identifier: MIT
#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "supervise/run_plan.h"

namespace graphnet::cli {

/// What --dry-run prints: every value of each backend and the samples; with `origins` also where
/// each value came from. `auto_threads` is what `threads: auto` stands for here.
std::string plan_text(const std::vector<config::Backend>& backends,
                      const std::vector<supervise::PlannedSample>& samples,
                      const std::vector<supervise::PlannedTask>& plan, int auto_threads,
                      bool origins);

/// The same as one object: {"schema": "graphnet.plan/1", "tasks": [task...]}.
base::Json plan_json(const std::vector<supervise::PlannedTask>& plan);

}  // namespace graphnet::cli
