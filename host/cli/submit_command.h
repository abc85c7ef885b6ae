// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/run_options.h"

namespace graphnet::cli {

/// Flags of `graphnet submit` as text, filled by the parser.
struct SubmitFlags {
  RunFlags run;  ///< measuring_flag_table() and jobs_flag(); `samples`: the positionals
  std::optional<std::string> engine;
  std::optional<std::string> shards;
  std::optional<std::string> folder;
  std::vector<std::string> sbatch;
  bool shares_nodes = false;
  bool dry_run = false;
};

/// `graphnet submit`: a run spread over machines. `flags` must outlive the command.
Command submit_command(SubmitFlags& flags);

}  // namespace graphnet::cli
