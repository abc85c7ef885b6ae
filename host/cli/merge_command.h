// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

/// Flags of `graphnet merge` as text, filled by the parser.
struct MergeFlags {
  std::vector<std::string> inputs;
  std::optional<std::string> output;
};

/// `graphnet merge -o OUT IN...`: one results file of several. `flags` must outlive the command.
Command merge_command(MergeFlags& flags);

}  // namespace graphnet::cli
