// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "record/outcome.h"
#include "record/word.h"
#include "supervise/run_plan.h"

namespace graphnet::cli {

/// Whether a trial asks a plugin, or has it compile.
enum class TrialKind { kCheck, kCompile };

/// A task for each sample with the plugin of a config, as `graphnet run` would plan it. A check
/// touches no device (rule P2 of sdk/ABI.md): where the config's cannot be used, it is made on the
/// CPU.
///
/// errors   as `graphnet run` for config and plugin
base::Result<std::vector<supervise::PlannedTask>> plan_trials(
    const Context& context, const std::vector<supervise::PlannedSample>& samples,
    const std::string& config, TrialKind kind);
/// The same for one sample, to compile it.
base::Result<supervise::PlannedTask> plan_trial(const Context& context,
                                                const supervise::PlannedSample& sample,
                                                const std::string& config);

/// The time that a run gives to all phases of a sample; nothing if one of them is not limited.
std::optional<std::chrono::milliseconds> whole_limit(const supervise::PlannedTask& planned);

/// What a worker found that compiled a task's graph once, without running it.
struct CompileTrial {
  record::Word<record::Outcome> outcome;  ///< ok, unsupported or plugin_failed
  std::string message;                    ///< empty for ok
};

/// Compiles in a process of its own; with `check_only` the plugin is only asked whether it would
/// (gn_compile_args.check_only), of a graph that is planned, not run.
///
/// errors   the worker's: of the sample, of its time limit, of a crash
base::Result<CompileTrial> try_compile(const Context& context,
                                       const supervise::PlannedTask& planned, bool check_only);

}  // namespace graphnet::cli
