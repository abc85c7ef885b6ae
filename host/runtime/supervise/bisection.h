// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/result.h"
#include "journal/worker_message.h"
#include "record/outcome.h"

namespace graphnet::supervise {

/// The first nodes of a sample's graph, given to a plugin and run once.
struct BisectionTrial {
  std::size_t num_nodes = 0;  ///< so many
  std::size_t num_all = 0;    ///< of the whole graph
  std::string node;           ///< the last one, as text (graph/graph_text.h)
  /// kOk, one of verify's outcomes, kUnsupported, kPluginFailed, or kCrashed for a worker that died
  /// or took too long.
  record::Word<record::Outcome> outcome;
  std::string message;
};

using OnTrial = std::function<void(const BisectionTrial& trial)>;

/// Bisects a graph: finds the fewest first nodes of it that do not pass. The values that are live
/// after those nodes are compared with libtorch's under the outcome rule; integers are left out.
/// Each trial has a worker of its own. If longer prefixes can pass again, the result is a prefix
/// that fails while the one before it passes.
///
/// order    on_trial is told each trial, the whole graph first
/// errors   kEnvironment: no worker starts; as the worker's if the sample cannot be run or has no
///          normal form
base::Result<std::optional<BisectionTrial>> find_bad_node(
    const std::filesystem::path& executable, const journal::Task& task,
    std::optional<std::chrono::milliseconds> limit, const OnTrial& on_trial);

}  // namespace graphnet::supervise
