// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

/// Flags of `graphnet compare` as text.
struct CompareFlags {
  std::vector<std::string> sides;
  std::vector<std::string> results;
  std::optional<std::string> metric;
  std::optional<std::string> threshold;
};

/// `graphnet compare`: two results files or two backends, sample by sample; exit code 1 for a
/// regression. `flags` must outlive the command.
Command compare_command(CompareFlags& flags);

}  // namespace graphnet::cli
