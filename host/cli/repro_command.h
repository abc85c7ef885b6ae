// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

/// Flags of `graphnet repro` as text.
struct ReproFlags {
  std::vector<std::string> results;
  std::optional<std::string> sample;
  std::optional<std::string> backend;
  std::optional<std::string> out;
  std::optional<std::string> check;
};

/// `graphnet repro`: a folder that repeats one record, or whether it did. `flags` must outlive the
/// command.
Command repro_command(ReproFlags& flags);

}  // namespace graphnet::cli
