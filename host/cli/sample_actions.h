// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "supervise/ask_worker.h"

namespace graphnet::cli {

/// Arguments and flags of `graphnet sample` as text; the first argument is the action.
struct SampleFlags {
  std::vector<std::string> arguments;
  std::optional<std::string> timeout;  ///< of a run in a worker
  // validate
  std::optional<std::string> against;
  std::optional<std::string> changed_since;
  std::optional<std::string> junit;
  bool no_redundancy = false;
  bool run = false;
  bool no_run = false;
  // hash
  std::optional<std::string> by;
  // repair
  bool write = false;
};

/// The folders of samples at or below the arguments behind the action, broken ones included; each
/// once.
///
/// order    of the arguments, then of their paths
/// errors   kInput: nothing there
base::Result<std::vector<std::filesystem::path>> sample_folders(const SampleFlags& flags);

/// A worker that has answered once, so that its libraries load.
///
/// errors   kEnvironment: there is none or it does not start; kUsage: --timeout
base::Result<supervise::AnsweringWorker> start_sample_worker(const Context& context,
                                                             const SampleFlags& flags);

// The actions.
base::Result<int> validate_samples(const Context& context, const SampleFlags& flags);
base::Result<int> repair_samples(const Context& context, const SampleFlags& flags);

}  // namespace graphnet::cli
