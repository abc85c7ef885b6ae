// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"

namespace graphnet::cli {

/// What one check of a plugin found.
struct PluginFinding {
  enum class State { kPassed, kWarned, kFailed, kSkipped };
  int level = 0;
  std::string check;  ///< "exports"
  State state = State::kPassed;
  std::string message;  ///< what is wrong, why it was skipped, or what was counted
};

inline constexpr int kLastPluginLevel = 3;

/// How far a check goes.
struct PluginCheckScope {
  int last_level = kLastPluginLevel;
  std::string cases = "*";            ///< level 2: pattern of conformance cases
  std::vector<std::string> samples;   ///< level 3: as `graphnet run` takes them; none: the bundled
  std::vector<std::string> settings;  ///< KEY=VALUE of run configs, as `graphnet run --set` takes
};

/// What to do about the first finding that failed, or how to check more; empty if all is checked.
std::string next_check(const std::vector<PluginFinding>& findings, const std::string& plugin,
                       int last_level);

/// The findings as a JUnit document, a suite with a case for each.
std::string junit_of(const std::vector<PluginFinding>& findings, const std::string& plugin);

/// Checks a plugin: 0 manifest, exports and needed libraries, 1 loading and compiling in a worker,
/// with each value of its options too, 2 the conformance cases, also with little memory, 3 the
/// control sample in several forms (control_runs.h) and the bundled samples, with proof. A level
/// after one that failed is skipped.
///
/// plugin   a library, its folder, or its plugin.yaml
/// errors   kInput: there is no such plugin; kEnvironment: a program could not be started
base::Result<std::vector<PluginFinding>> check_plugin(const Context& context,
                                                      const std::filesystem::path& plugin,
                                                      const PluginCheckScope& scope);

}  // namespace graphnet::cli
