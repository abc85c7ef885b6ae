// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

/// Flags of `graphnet score` as text.
struct ScoreFlags {
  std::vector<std::string> results;
  std::optional<std::string> penalty;
  std::optional<std::string> fail_base;
  std::optional<std::string> interpretation;
  std::optional<std::string> weights;
  std::optional<std::string> resamples;
  std::vector<std::string> keep;
  bool common = false;
  bool by_file = false;
  bool compat = false;
  bool csv = false;
};

/// `graphnet score`: S(t), ES(t) and their parameters of results files and upstream's logs. `flags`
/// must outlive the command.
Command score_command(ScoreFlags& flags);

}  // namespace graphnet::cli
