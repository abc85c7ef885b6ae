// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <functional>
#include <vector>

#include "base/result.h"
#include "conformance/case_file.h"
#include "conformance/plugin_session.h"

namespace graphnet::conformance {

/// Longest time for one case, loading of the plugin included.
inline constexpr unsigned kCaseSeconds = 60;

/// Runs cases in a process of their own. A death costs the case that it happened in: the next ones
/// run in a new process. `on_result` is told of each case as it ends.
///
/// order    of the cases
/// errors   the plugin cannot be opened, or processes cannot be started
base::Status run_isolated(const std::vector<const Case*>& cases,
                          const std::filesystem::path& library, const SessionSettings& settings,
                          const std::function<void(const Case&, const CaseResult&)>& on_result);

}  // namespace graphnet::conformance
