// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "record/record.h"

namespace graphnet::cli {

/// A run of a control sample with a plugin that is checked: what one hides, another shows.
struct ControlRun {
  const char* how;       ///< for messages: "with one thread"
  const char* sample;    ///< see Installation::control_sample()
  const char* settings;  ///< lines of the run config
  /// Whether the plugin may refuse to be opened, as it did not for the runs before.
  bool may_refuse = false;
};

/// The runs that make sense, in order; about a second each.
///
/// num_cores   that this process may use
/// settings    KEY=VALUE that the user wants for all of them
std::vector<ControlRun> control_runs(int num_cores, const std::vector<std::string>& settings);

/// What a record says against its plugin.
struct Judgement {
  std::vector<std::string> failures;  ///< what was wrong, and what to try
  std::vector<std::string> warnings;  ///< as long as it is so, a speedup is no evidence
};

/// Judges by outcome, flags and verdict: what takes a speedup out of the averages fails, if the
/// plugin did it; what the machine could not find out is a warning.
Judgement judge(const record::Record& record);

}  // namespace graphnet::cli
