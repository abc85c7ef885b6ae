// SPDX-License-Identifier: MIT
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"

namespace graphnet::cli {

/// Flags of `graphnet inspect` as text.
struct InspectFlags {
  std::vector<std::string> samples;
  std::optional<std::string> stage;
  bool no_run = false;
  bool ops = false;
  bool bisect = false;
  std::optional<std::string> config;
};

/// `graphnet inspect`: a sample's graph at any stage, what its operators cost, and which operators
/// many samples use. `flags` must outlive the command.
Command inspect_command(InspectFlags& flags);

}  // namespace graphnet::cli
